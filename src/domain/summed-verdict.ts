import { z } from 'zod';
import { ACTIONS, differs } from './flow-action';
import { AuditSay, Decider, type FlowVerdict, NO_RULE, RulesSay } from './flow-verdict';

/*
 * What is shown for a row that represents several flows: a value that all of them share, else `mixed`. Merging does
 * not depend on the order, and a flow counts once however often it is merged.
 */
export const SUMMED_ACTIONS = [...ACTIONS, 'mixed'] as const;
export type SummedAction = (typeof SUMMED_ACTIONS)[number];

export const SummedRulesSay = RulesSay.extend({
  action: z.enum(SUMMED_ACTIONS),
  /** `mixed`: no single rule or default policy decides all flows; then nothing is named. */
  kind: z.enum([...Decider.shape.kind.options, 'mixed']),
  /** null: at the firewalls of several workloads. */
  workload_id: z.uuid().nullable(),
});
export type SummedRulesSay = z.output<typeof SummedRulesSay>;

export const SummedAuditSay = AuditSay.extend({
  /** null: some by a rule, others by the default. */
  by: AuditSay.shape.by.nullable(),
  workload_id: z.uuid().nullable(),
  /** Not of all flows of the row. */
  partly: z.boolean(),
});
export type SummedAuditSay = z.output<typeof SummedAuditSay>;

/** The same three for a row that represents several flows. */
export const summedVerdict = {
  /** What was observed. */
  action: z.enum(SUMMED_ACTIONS),
  /** What the rules say now; null: no visible workload is at an end, or its rules may not be seen. */
  rules_say: SummedRulesSay.nullable(),
  /** What policies in audit mode would do with all or some of the flows. */
  audit_say: z.array(SummedAuditSay),
  /** Of some flow something else was observed than the rules say. */
  differs: z.boolean(),
};
export type SummedVerdict = {
  action: SummedAction;
  rules_say: SummedRulesSay | null;
  audit_say: SummedAuditSay[];
  differs: boolean;
};

/** Of a row of which nothing is known. */
export const NO_VERDICT: SummedVerdict = { action: 'unknown', rules_say: null, audit_say: [], differs: false };

/** The verdict of one flow as that of a row. */
export const toSummedVerdict = ({ action, rules_say, audit_say }: FlowVerdict): SummedVerdict => ({
  action,
  rules_say,
  audit_say: audit_say.map((say) => ({ ...say, partly: false })),
  differs: differs(action, rules_say?.action),
});

/** Of a row of which no single rule or default policy is named. */
export const NOT_NAMED = { detail: null, ...NO_RULE };

const getCommonValue = <T>(a: T, b: T): T | null => (a === b ? a : null);

/** The older time; never read is older than any. */
const getOlder = (a: string | null, b: string | null) =>
  a === b ? a : a === null || b === null ? null : a < b ? a : b;

const isSameDecider = (a: SummedRulesSay, b: SummedRulesSay) =>
  a.kind === b.kind &&
  a.detail === b.detail &&
  a.position === b.position &&
  a.group === b.group &&
  a.group_position === b.group_position &&
  a.policy_id === b.policy_id &&
  a.rule_hash === b.rule_hash &&
  a.vnet === b.vnet &&
  a.explanation === b.explanation &&
  a.workload_id === b.workload_id;

function mergeRules(a: SummedRulesSay | null, b: SummedRulesSay | null): SummedRulesSay | null {
  if (a === b) return a;
  const known = a ?? b;
  if (!known) return null;
  const read_at = a && b ? getOlder(a.read_at, b.read_at) : known.read_at;
  if (a && b && a.action === b.action && isSameDecider(a, b)) return read_at === a.read_at ? a : { ...a, read_at };
  const action = a && b && a.action === b.action ? a.action : 'mixed';
  const workload_id = getCommonValue(a?.workload_id, b?.workload_id) ?? null;
  const isMixed = a?.kind === 'mixed' && a.action === action && a.workload_id === workload_id && a.read_at === read_at;
  if (isMixed) return a;
  const explanation = 'No single rule or default policy matches all of this traffic.';
  return { ...NOT_NAMED, kind: 'mixed', action, workload_id, explanation, read_at };
}

const toAuditKey = ({ policy_id, action }: SummedAuditSay) => `${policy_id} ${action}`;
const compareAudits = (a: SummedAuditSay, b: SummedAuditSay) =>
  a.policy_name === b.policy_name ? (toAuditKey(a) < toAuditKey(b) ? -1 : 1) : a.policy_name < b.policy_name ? -1 : 1;

/** The same policies in one row: what is reported for both ends of a flow counts once. */
function combineByPolicy(says: readonly SummedAuditSay[]): Map<string, SummedAuditSay> {
  const united = new Map<string, SummedAuditSay>();
  for (const say of says) {
    const known = united.get(toAuditKey(say));
    united.set(toAuditKey(say), known ? mergeAudit(known, say) : say);
  }
  return united;
}

const mergeAudit = (a: SummedAuditSay, b: SummedAuditSay): SummedAuditSay => ({
  ...a,
  by: getCommonValue(a.by, b.by),
  rule_position: getCommonValue(a.rule_position, b.rule_position),
  workload_id: getCommonValue(a.workload_id, b.workload_id),
  partly: a.partly || b.partly,
});

function mergeAudits(a: SummedAuditSay[], b: readonly SummedAuditSay[]): SummedAuditSay[] {
  if (b.length === 0 && a.every(({ partly }) => partly)) return a;
  const [first, second] = [combineByPolicy(a), combineByPolicy(b)];
  const merged = [...new Set([...first.keys(), ...second.keys()])].flatMap((key) => {
    const [one, other] = [first.get(key), second.get(key)];
    if (one && other) return mergeAudit(one, other);
    const only = one ?? other;
    return only ? { ...only, partly: true } : [];
  });
  return merged.sort(compareAudits);
}

/** What is shown for two rows together; the first one itself where the second adds nothing. */
export function mergeVerdicts(a: SummedVerdict, b: SummedVerdict): SummedVerdict {
  const action = getCommonValue(a.action, b.action) ?? 'mixed';
  const rules_say = mergeRules(a.rules_say, b.rules_say);
  const differs = a.differs || b.differs;
  const audit_say = mergeAudits(a.audit_say, b.audit_say);
  const isSame = action === a.action && rules_say === a.rules_say && audit_say === a.audit_say && differs === a.differs;
  return isSame ? a : { action, rules_say, audit_say, differs };
}

/** Adds up the verdicts of many rows to what `mergeVerdicts` makes of them one after the other, without an object for each. */
export class VerdictTotal {
  #action: SummedAction;
  #differs: boolean;
  #rules: SummedRulesSay | null;
  #audits: SummedAuditSay[];
  /** No single rule decides; then it is an object of its own, which changes. */
  #isMixed = false;
  #last: SummedVerdict;

  constructor(first: SummedVerdict) {
    this.#action = first.action;
    this.#differs = first.differs;
    this.#rules = first.rules_say;
    this.#audits = first.audit_say;
    this.#last = first;
  }

  add(verdict: SummedVerdict): void {
    if (verdict === this.#last) return;
    this.#last = verdict;
    const { action, rules_say, audit_say } = verdict;
    if (action !== this.#action) this.#action = 'mixed';
    if (verdict.differs) this.#differs = true;
    if (rules_say !== this.#rules) this.#addRules(rules_say);
    if (audit_say.length > 0 || this.#audits.length > 0) this.#audits = mergeAudits(this.#audits, audit_say);
  }

  finish(): SummedVerdict {
    return { action: this.#action, rules_say: this.#rules, audit_say: this.#audits, differs: this.#differs };
  }

  #addRules(given: SummedRulesSay | null): void {
    const known = this.#rules;
    if (known === null || !this.#isMixed) {
      const merged = mergeRules(known, given);
      this.#isMixed = merged?.kind === 'mixed';
      this.#rules = this.#isMixed && merged ? { ...merged } : merged;
      return;
    }
    if (known.action !== given?.action) known.action = 'mixed';
    if (known.workload_id !== given?.workload_id) known.workload_id = null;
    if (given) known.read_at = getOlder(known.read_at, given.read_at);
  }
}
