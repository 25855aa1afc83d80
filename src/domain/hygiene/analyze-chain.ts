import type { CompiledRule } from '../firewall/compiled-rule';
import type { Packet } from '../firewall/packet';
import { isSubset } from '../firewall/space/bits';
import type { Region } from '../firewall/space/dimensions';
import type { Field } from '../firewall/space/field';
import { spansHave } from '../firewall/space/spans';
import { divide, meets, type Piece, splitPiece } from '../firewall/space/walk';
import type { DecidedBy } from '../firewall/verdict';
import type { ChainStep, RuleChain } from './rule-chain';

/** What decides packets instead of a rule: another rule of the chain, or what is built in. */
export type Decider = { readonly rule: number } | { readonly builtin: DecidedBy };

/** An earlier rule with the opposite action that decides packets of a rule. */
export type Conflict = { readonly rule: number; readonly example: Packet };

/**
 * What a rule does in its chain. `shadowed`: earlier steps decide all packets that it matches. `redundant`: it decides some, but
 * without it the same would become of them. `unknown`: something that it depends on is not known, or it is too complex.
 */
export type RuleRole = {
  readonly status: 'effective' | 'redundant' | 'shadowed' | 'unknown';
  /** Of a shadowed rule: what decides its packets; of a redundant one: what would. */
  readonly by: readonly Decider[];
  /** One of these packets. */
  readonly example: Packet | null;
  /** Rules that contradict it: neither of the two is an exception from the other. */
  readonly conflicts: readonly Conflict[];
};

/** Pieces that one rule may be divided into. Rules that overlap in every field have more than can be enumerated. */
const MOST_PIECES = 20_000;

class TooComplex extends Error {}

type Placed = { readonly piece: Piece; readonly field: Field };
/** @property at the next of the steps that it may meet */
type Task = Placed & { readonly at: number };
/** Packets of a step, and the steps that any of them meets, in order. */
type Start = Placed & { readonly met: readonly number[] };

/** Addresses for documentation, in place of any. */
const ANY = { 4: 0xc633640an, 6: (0x20010db8n << 96n) + 0x10n } as const;

/** A packet of a piece; where the other end is any address, it is one for documentation. */
function toExample({ piece, field }: Placed): Packet {
  const packet = field.packetOf(piece);
  const end = packet.direction === 'in' ? 'source' : 'destination';
  const { family, value } = packet[end];
  const { spans, last_octet } = field.boxOf(piece)[end === 'source' ? 'sources' : 'destinations'];
  if (value !== 0n || last_octet === '255' || !spansHave(spans, ANY[family])) return packet;
  return { ...packet, [end]: { family, value: ANY[family] } };
}

const isDrop = ({ action }: CompiledRule) => action === 'drop' || action === 'reject';
const areOpposite = (a: CompiledRule, b: CompiledRule) =>
  (a.action === 'accept' && isDrop(b)) || (isDrop(a) && b.action === 'accept');

const isRegionInside = (inner: Region, outer: Region): boolean =>
  outer.every((limit, at) => {
    const bits = inner[at];
    return !limit || (bits ? isSubset(bits, limit) : false);
  });

class SubjectAnalysis {
  readonly #chain: RuleChain;
  readonly #rules: ReadonlySet<number>;
  /** Indexes of the steps of the subject. */
  readonly #own: readonly number[];
  #left = MOST_PIECES;

  /** @param rules the rules of the chain that are one rule for its author, by their index */
  constructor(chain: RuleChain, rules: readonly number[]) {
    this.#chain = chain;
    this.#rules = new Set(rules);
    this.#own = chain.steps.flatMap((step, at) => (this.#isOwn(step) ? [at] : []));
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooComplex();
  }

  #isOwn = ({ rule }: ChainStep) => rule !== null && this.#rules.has(rule);

  #ruleOf({ rule }: ChainStep): CompiledRule | null {
    return rule === null ? null : (this.#chain.rules[rule] ?? null);
  }

  /** Packets of the box that meet a region. */
  #start(region: Region): Start[] {
    const { fields, steps } = this.#chain;
    return fields.flatMap((field) => {
      const { inside: piece } = splitPiece(field.start, region, field.octets);
      if (!piece) return [];
      const met = steps.flatMap(({ when }, at) => (meets(piece, when) ? [at] : []));
      return [{ piece, field, met }];
    });
  }

  /** What of some packets no step before `end` certainly decides. @param decided called with what a step decides */
  *#survive(start: Start, end: number, decided?: (step: ChainStep, piece: Placed) => void): Generator<Placed> {
    const { steps } = this.#chain;
    const { field } = start;
    const before = start.met.filter((at) => at < end && steps[at]?.ends);
    const tasks: Task[] = [{ piece: start.piece, field, at: 0 }];
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      this.#count();
      const { piece } = task;
      let { at } = task;
      while (at < before.length && !meets(piece, (steps[before[at] as number] as ChainStep).when)) at++;
      const step = steps[before[at] ?? -1];
      if (!step) {
        yield { piece, field };
        continue;
      }
      const { inside, outside } = splitPiece(piece, step.when, field.octets);
      if (inside) decided?.(step, { piece: inside, field });
      for (const rest of outside) tasks.push({ piece: rest, field, at: at + 1 });
    }
  }

  #deciderOf({ rule }: ChainStep, { piece, field }: Placed): Decider {
    return rule === null ? { builtin: this.#chain.withoutRules(field.packetOf(piece)).decided_by } : { rule };
  }

  /** What decides every packet of the subject before it; null: the subject decides some. */
  #findShadow(): Pick<RuleRole, 'by' | 'example'> | null {
    const { steps } = this.#chain;
    for (const at of this.#own) {
      for (const start of this.#start((steps[at] as ChainStep).when)) {
        for (const _ of this.#survive(start, at)) return null;
      }
    }
    const by = new Map<string, Decider>();
    let [ofRule, ofBuiltin]: (Packet | null)[] = [null, null];
    for (const at of this.#own) {
      for (const start of this.#start((steps[at] as ChainStep).when)) {
        const decided = (step: ChainStep, placed: Placed) => {
          if (this.#isOwn(step)) return;
          const decider = this.#deciderOf(step, placed);
          if (step.rule === null) ofBuiltin ??= toExample(placed);
          else ofRule ??= toExample(placed);
          by.set(JSON.stringify(decider), decider);
        };
        // Nothing survives: this only notes what decides.
        for (const _ of this.#survive(start, at, decided)) return null;
      }
    }
    // A rule is what its author can look at.
    const deciders = [...by.values()].sort((one, other) => Number('builtin' in one) - Number('builtin' in other));
    return { by: deciders, example: ofRule ?? ofBuiltin ?? null };
  }

  /** What would decide every packet of the subject in the same way without it; null: it would not be the same. */
  #findReplacement(): Pick<RuleRole, 'by' | 'example'> | null {
    const { steps, rules } = this.#chain;
    const by = new Map<string, Decider>();
    let example: Packet | null = null;
    for (const at of this.#own) {
      const step = steps[at] as ChainStep;
      const rule = rules[step.rule ?? -1];
      if (!rule) return null;
      for (const start of this.#start(step.when)) {
        const after = start.met.filter((other) => other > at && !this.#isOwn(steps[other] as ChainStep));
        for (const { piece, field } of this.#survive(start, at)) {
          for (const part of isDrop(rule) ? divide(piece, step.divides, field.octets) : [piece]) {
            example ??= toExample({ piece: part, field });
            if (!this.#isReplaced(rule, { piece: part, field }, after, by)) return null;
          }
        }
      }
    }
    return { by: [...by.values()], example };
  }

  /** Whether the steps `after` a rule do with all packets of a piece what the rule does. The rule treats them alike. */
  #isReplaced(rule: CompiledRule, from: Placed, after: readonly number[], by: Map<string, Decider>): boolean {
    const { steps, outcomeOf, withoutRules } = this.#chain;
    const { field } = from;
    const tasks: Task[] = [{ ...from, at: 0 }];
    const note = (decider: Decider) => by.set(JSON.stringify(decider), decider);
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      this.#count();
      const { piece } = task;
      let { at } = task;
      while (at < after.length && !meets(piece, (steps[after[at] as number] as ChainStep).when)) at++;
      const step = steps[after[at] ?? -1];
      const other = step && this.#ruleOf(step);
      if (step && other) {
        // Whether it matches is not known: it must do the same, too.
        if (!step.ends && other.action !== rule.action) return false;
        if (!step.ends) {
          tasks.push({ piece, field, at: at + 1 });
          continue;
        }
        const { inside, outside } = splitPiece(piece, step.when, field.octets);
        if (inside && !this.#isSameOutcome(rule, other, { piece: inside, field })) return false;
        if (inside) note({ rule: step.rule as number });
        for (const rest of outside) tasks.push({ piece: rest, field, at: at + 1 });
        continue;
      }
      if (step) {
        const { inside, outside } = splitPiece(piece, step.when, field.octets);
        for (const rest of outside) tasks.push({ piece: rest, field, at: at + 1 });
        for (const part of inside ? divide(inside, step.divides, field.octets) : []) {
          tasks.push({ piece: part, field, at: step.ends ? after.length : at + 1 });
        }
        continue;
      }
      const packet = field.packetOf(piece);
      const { verdict, decided_by } = withoutRules(packet);
      if (verdict === 'unknown' || verdict !== outcomeOf(rule, packet)) return false;
      note({ builtin: decided_by });
    }
    return true;
  }

  /** The piece is within what `rule` treats alike; what `other` treats apart does not differ for it. */
  #isSameOutcome(rule: CompiledRule, other: CompiledRule, { piece, field }: Placed): boolean {
    if (rule.action === other.action) return rule.action !== 'unknown';
    if (areOpposite(rule, other) || !isDrop(rule) || !isDrop(other)) return false;
    const packet = field.packetOf(piece);
    const outcome = this.#chain.outcomeOf(rule, packet);
    return outcome !== 'unknown' && outcome === this.#chain.outcomeOf(other, packet);
  }

  /** Whether every packet of some other rules is one of the subject: then they are an exception from it. */
  #contains(others: ReadonlySet<number>): boolean {
    const { steps } = this.#chain;
    const own = this.#own;
    return steps.every((step) => {
      if (step.rule === null || !others.has(step.rule)) return true;
      if (own.some((at) => isRegionInside(step.when, (steps[at] as ChainStep).when))) return true;
      return this.#start(step.when).every(({ piece, field }) => {
        let rest: Piece[] = [piece];
        for (const at of own) {
          rest = rest.flatMap((one) => splitPiece(one, (steps[at] as ChainStep).when, field.octets).outside);
          for (const _ of rest) this.#count();
        }
        return rest.length === 0;
      });
    });
  }

  /** @param getGroup all rules that are one with a rule */
  #findConflicts(isShadowed: boolean, getGroup: (rule: number) => ReadonlySet<number>): Conflict[] {
    const { steps, rules } = this.#chain;
    const found = new Map<ReadonlySet<number>, Conflict>();
    const exceptions = new Map<ReadonlySet<number>, boolean>();
    for (const at of this.#own) {
      const own = steps[at] as ChainStep;
      const rule = rules[own.rule as number] as CompiledRule;
      const starts = this.#start(own.when);
      for (const before of new Set(starts.flatMap(({ met }) => met.filter((other) => other < at)))) {
        const step = steps[before] as ChainStep;
        const other = this.#ruleOf(step);
        if (!other || !step.ends || this.#isOwn(step) || !areOpposite(rule, other)) continue;
        const group = getGroup(step.rule as number);
        if (found.has(group)) continue;
        const example = this.#findDecided(starts, before);
        if (!example) continue;
        // A rule that decides nothing is no rule that others are exceptions from.
        const isException = exceptions.get(group) ?? (!isShadowed && this.#contains(group));
        exceptions.set(group, isException);
        if (!isException) found.set(group, { rule: step.rule as number, example });
      }
    }
    return [...found.values()];
  }

  /** One of some packets that a step decides. */
  #findDecided(starts: readonly Start[], before: number): Packet | null {
    const step = this.#chain.steps[before] as ChainStep;
    for (const { piece, field, met } of starts) {
      const { inside } = splitPiece(piece, step.when, field.octets);
      if (!inside) continue;
      for (const left of this.#survive({ piece: inside, field, met }, before)) return toExample(left);
    }
    return null;
  }

  analyze(getGroup: (rule: number) => ReadonlySet<number>): RuleRole {
    const own = this.#own.map((at) => this.#chain.steps[at] as ChainStep);
    const unknown: RuleRole = { status: 'unknown', by: [], example: null, conflicts: [] };
    if (own.some(({ ends }) => !ends)) return unknown;
    try {
      const shadow = this.#findShadow();
      const replacement = shadow ? null : this.#findReplacement();
      const conflicts = this.#findConflicts(shadow !== null, getGroup);
      if (shadow) return { status: 'shadowed', ...shadow, conflicts };
      if (replacement) return { status: 'redundant', ...replacement, conflicts };
      return { status: 'effective', by: [], example: null, conflicts };
    } catch (error) {
      if (error instanceof TooComplex) return unknown;
      throw error;
    }
  }
}

/**
 * What each rule of a chain does in it. Exact: a rule is shadowed or redundant if and only if it is for every packet of the chain's
 * box that opens a connection, as far as everything is known.
 * @param subjects of each rule of the chain: the owner. Rules of one subject are analyzed as one; null: a rule that only decides
 * @returns by subject
 */
export function analyzeChain(chain: RuleChain, subjects: readonly (string | null)[]): Map<string, RuleRole> {
  const groups = new Map<string, number[]>();
  for (const [at, subject] of subjects.entries()) {
    if (subject === null) continue;
    groups.set(subject, [...(groups.get(subject) ?? []), at]);
  }
  const sets = new Map([...groups].map(([subject, rules]) => [subject, new Set(rules)]));
  const alone = new Map<number, ReadonlySet<number>>();
  const getGroup = (rule: number): ReadonlySet<number> => {
    const subject = subjects[rule];
    const known = subject ? sets.get(subject) : alone.get(rule);
    if (known) return known;
    const made = new Set([rule]);
    alone.set(rule, made);
    return made;
  };
  return new Map([...groups].map(([subject, rules]) => [subject, new SubjectAnalysis(chain, rules).analyze(getGroup)]));
}
