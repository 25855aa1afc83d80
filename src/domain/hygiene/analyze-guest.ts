import type { CompiledRule } from '../firewall/compiled-rule';
import type { Packet } from '../firewall/packet';
import type { PreparedGuest } from '../firewall/prepare-guest';
import { type Box, buildBox } from '../firewall/space/box';
import type { DecidedBy, RulePlace } from '../firewall/verdict';
import { analyzeChain, type Decider, type RuleRole } from './analyze-chain';
import { buildRuleChain, describeSteps } from './rule-chain';

/** A rule of the workload's list, or what is built in. */
export type GuestDecider = { readonly place: RulePlace } | { readonly builtin: DecidedBy };

/** What a rule does at all interfaces of a workload, in both families. */
export type GuestRole = {
  readonly status: 'effective' | 'redundant' | 'shadowed' | 'unknown';
  readonly by: readonly GuestDecider[];
  readonly example: Packet | null;
  readonly conflicts: readonly { readonly place: RulePlace; readonly example: Packet }[];
};

const DIRECTIONS = ['in', 'out'] as const;
const SPACES: readonly Box[] = [buildBox({ family: 4 }), buildBox({ family: 6 })];
/** From the least that a rule does to the most. */
const ORDER: readonly GuestRole['status'][] = ['shadowed', 'redundant', 'unknown', 'effective'];

/** Findings of chains that were analyzed, by what describes a chain. Workloads of one group mostly have the same. */
export type ChainCache = (key: string, make: () => ReadonlyMap<number, RuleRole>) => ReadonlyMap<number, RuleRole>;

const MOST_NAMED = 10;

/** Subjects by the first of their rules, so that chains of different workloads can be compared. */
function numberSubjects(subjects: readonly (string | null)[]): (number | null)[] {
  const first = new Map<string, number>();
  return subjects.map((subject, at) => {
    if (subject === null) return null;
    const known = first.get(subject) ?? at;
    first.set(subject, known);
    return known;
  });
}

const toDecider = (decider: Decider, rules: readonly CompiledRule[]): GuestDecider[] => {
  if ('builtin' in decider) return [decider];
  const rule = rules[decider.rule];
  return rule ? [{ place: rule.place }] : [];
};

/** The first of equal items. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => unknown): T[] {
  const first = new Map<string, T>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    if (!first.has(key)) first.set(key, item);
  }
  return [...first.values()];
}

function combine(a: GuestRole, b: GuestRole): GuestRole {
  const status = ORDER.indexOf(a.status) >= ORDER.indexOf(b.status) ? a.status : b.status;
  const claimed = status === 'shadowed' || status === 'redundant';
  return {
    status,
    by: claimed ? distinct([...a.by, ...b.by], (by) => by).slice(0, MOST_NAMED) : [],
    example: claimed ? (a.example ?? b.example) : null,
    conflicts: distinct([...a.conflicts, ...b.conflicts], ({ place }) => place).slice(0, MOST_NAMED),
  };
}

/**
 * What rules of a workload do, over all interfaces that are filtered, all ways that it may be filtered in, and both families.
 * @param interfaces those whose firewall is on
 * @param getSubject the rule that a place is of; places with the same subject are analyzed as one rule, null: it only decides
 * @returns by subject; subjects without a rule that matches packets are missing
 */
export function analyzeGuest(
  interfaces: readonly PreparedGuest[],
  getSubject: (place: RulePlace) => string | null,
  cache: ChainCache = (_, make) => make(),
): Map<string, GuestRole> {
  const found = new Map<string, GuestRole>();
  for (const guest of interfaces) {
    for (const filter of guest.filters) {
      for (const direction of DIRECTIONS) {
        for (const space of SPACES) {
          const { rules } = filter.index(direction, space.family);
          const subjects = rules.map(({ place }) => getSubject(place));
          if (subjects.every((subject) => subject === null)) continue;
          const numbered = numberSubjects(subjects);
          const view = { direction, family: space.family };
          const key = `${describeSteps(guest, filter, view)}${numbered.join()}`;
          const roles = cache(key, () => {
            const chain = buildRuleChain(guest, filter, direction, space);
            const named = numbered.map((one) => (one === null ? null : `${one}`));
            return new Map(
              chain ? [...analyzeChain(chain, named)].map(([at, role]) => [Number(at), role] as const) : [],
            );
          });
          for (const at of new Set(numbered)) {
            const subject = at === null ? null : subjects[at];
            if (at === null || !subject) continue;
            const role = roles.get(at);
            const one: GuestRole = {
              status: role?.status ?? 'unknown',
              by: role?.by.flatMap((decider) => toDecider(decider, rules)) ?? [],
              example: role?.example ?? null,
              conflicts:
                role?.conflicts.flatMap(({ rule, example }) => {
                  const place = rules[rule]?.place;
                  return place ? [{ place, example }] : [];
                }) ?? [],
            };
            const before = found.get(subject);
            found.set(subject, before ? combine(before, one) : one);
          }
        }
      }
    }
  }
  return found;
}
