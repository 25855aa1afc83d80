import { z } from 'zod';
import type { LiveRule } from '../firewall/live-state';
import { longestIncreasingSubsequence } from '../policy/compare-rules';
import { GuestChangesPreview, OptionChange } from '../policy-preview';
import { ChangeCreate } from './change';

/** Workloads whose difference is listed; of further ones only the totals are known. */
export const MAX_LISTED_DIFFERENCES = 200;

const Named = z.object({ workload_id: z.uuid(), vmid: z.int(), name: z.string() });

/** What a change that is not applied yet would do to the rules and switches of each workload, by what was last read there. */
export const ChangeDifference = z.object({
  workloads: z.array(
    Named.extend({
      changes: GuestChangesPreview.pick({ added: true, removed: true, moved: true }),
      option_changes: z.array(OptionChange),
      /** Frames with another source MAC address are dropped once the switches are changed. */
      mac_filter: z.boolean(),
    }),
  ),
  /** Level at which the added rules with `temporary_log` are logged until the change is confirmed or rolled back. */
  log_new_rules: ChangeCreate.shape.log_new_rules,
  totals: z.object({ workloads: z.int(), added: z.int(), removed: z.int(), moved: z.int(), option_changes: z.int() }),
  /** Workloads that the change concerns and of which it is not known what it would do there. */
  unreadable: z.array(Named),
  /** Workloads that are not visible to the reader. */
  hidden_workloads: z.int(),
  /**
   * When the workloads were read for this difference and all are visible: identifies it, so that applying the change writes nothing
   * else.
   */
  fingerprint: z.string().nullable(),
});
export type ChangeDifference = z.output<typeof ChangeDifference>;

export const ChangeDifferenceInput = z.strictObject({
  /** `true`: the workloads are read now, and the difference is identified by a fingerprint. */
  refresh: z
    .union([z.boolean(), z.enum(['true', 'false'], 'One of true, false.').transform((text) => text === 'true')])
    .default(false),
});
export type ChangeDifferenceInput = z.output<typeof ChangeDifferenceInput>;

/** How the rules of a workload differ. Rules that stay are in `moved` only if they change places with others that stay. */
export type RuleDifference = {
  readonly added: readonly LiveRule[];
  readonly removed: readonly LiveRule[];
  readonly moved: readonly LiveRule[];
};

const print = ({ pos: _, ...rule }: LiveRule): string => JSON.stringify(Object.entries(rule).sort());

/** Compares two lists of rules, each in the order in which it is evaluated; positions do not matter. */
export function compareLiveRules(before: readonly LiveRule[], after: readonly LiveRule[]): RuleDifference {
  const places = new Map<string, number[]>();
  for (const [at, rule] of before.entries()) {
    const key = print(rule);
    places.set(key, [...(places.get(key) ?? []), at]);
  }
  const added: LiveRule[] = [];
  const kept: { rule: LiveRule; at: number }[] = [];
  for (const rule of after) {
    const at = places.get(print(rule))?.shift();
    if (at === undefined) added.push(rule);
    else kept.push({ rule, at });
  }
  const inPlace = longestIncreasingSubsequence(kept.map(({ at }) => at));
  return {
    added,
    removed: [...places.values()]
      .flat()
      .sort((a, b) => a - b)
      .flatMap((at) => before[at] ?? []),
    moved: kept.filter((_, index) => !inPlace.has(index)).map(({ rule }) => rule),
  };
}
