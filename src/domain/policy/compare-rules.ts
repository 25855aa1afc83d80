import type { RULE_PLACEMENTS } from '../choices';
import type { LiveRule } from '../firewall/live-state';
import type { DesiredRule } from './desired';
import { type Marker, parseMarker } from './marker';

/** Indexes of one longest rising subsequence: the most elements that can stay where they are. */
export function longestIncreasingSubsequence(values: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [at, current] of values.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < current) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = at;
  }
  const rising = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) rising.add(at);
  return rising;
}

export const STALE_RULE_REASONS = [
  'outdated_version',
  'content_differs',
  'disabled',
  'duplicate',
  'leftover',
  'other_vmid',
  'foreign_instance',
] as const;
/** Why a live rule with a marker cannot stay as it is. */
export type StaleRuleReason = (typeof STALE_RULE_REASONS)[number];

/** A live rule that bears a marker and is to go. */
export type StaleRule = { readonly rule: LiveRule; readonly policy_id: string; readonly reason: StaleRuleReason };
export type KeptRule = { readonly rule: LiveRule; readonly desired: DesiredRule };

/** How a guest's live rules differ from the desired ones. */
export type GuestDiff = {
  /** Live exactly as desired; `moved` ones among them are in the wrong place. */
  readonly kept: readonly KeptRule[];
  /** Part of `kept`: to be moved, with what they stand wrongly to. */
  readonly moved: readonly (KeptRule & { readonly reason: 'order' | 'foreign_rule' })[];
  readonly added: readonly DesiredRule[];
  readonly removed: readonly StaleRule[];
  /** The rules as they shall stand, foreign ones in their own order. */
  readonly result: readonly (LiveRule | DesiredRule)[];
};

export type DiffOptions = {
  readonly instance: string;
  readonly vmid: number;
  /** Where the managed rules are placed relative to unmanaged rules. */
  readonly placement: (typeof RULE_PLACEMENTS)[number];
};

const CONTENT_FIELDS = ['type', 'action', 'proto', 'source', 'dest', 'sport', 'dport', 'icmp-type'] as const;
/** Fields that a managed rule never has. */
const ABSENT_FIELDS = ['macro', 'iface'] as const;

const value = (text: string | undefined) => text || undefined;

/** Whether a live rule matches the desired content; disabled rules are compared too. */
function hasSameContent({ content, temporary_log }: DesiredRule, comment: string, live: LiveRule): boolean {
  const log = live.log || 'nolog';
  return (
    CONTENT_FIELDS.every((field) => value(content[field]) === value(live[field])) &&
    ABSENT_FIELDS.every((field) => value(live[field]) === undefined) &&
    ((content.log ?? 'nolog') === log || temporary_log === log) &&
    live.comment === comment &&
    live.errors === undefined
  );
}

/** Whether live rules of a version count as desired: of the desired version, or one that compiles to the same. */
export const isLiveVersion = ({ policy_version, since_version }: DesiredRule, version: number): boolean =>
  version <= policy_version && version >= (since_version ?? policy_version);

/** Whether a live rule with this marker is the desired one; its own version, if it counts, is no difference. */
export function isSameRule(desired: DesiredRule, marker: Marker, live: LiveRule): boolean {
  // The marker stands first, and nothing before its version can look like one.
  const comment = desired.comment.replace(` v=${desired.policy_version} `, ` v=${marker.version} `);
  return isLiveVersion(desired, marker.version) && hasSameContent(desired, comment, live);
}

/** What makes a rule of a policy the same in all versions that count as one. */
export const ruleIdentity = (policyId: string, hash: string) => `${policyId} ${hash}`;

/** Why a marked rule is to be removed, or the desired rule that it is. */
function matchRule(
  rule: LiveRule,
  open: Map<string, DesiredRule>,
  known: ReadonlyMap<string, DesiredRule>,
  policies: ReadonlyMap<string, DesiredRule>,
  { instance, vmid }: DiffOptions,
): DesiredRule | StaleRuleReason | null {
  const marker = parseMarker(rule.comment);
  if (!marker) return null;
  if (marker.instance !== instance) return 'foreign_instance';
  if (marker.vmid !== vmid) return 'other_vmid';
  const present = policies.get(marker.policy_id);
  if (present === undefined) return 'leftover';
  if (!isLiveVersion(present, marker.version)) return 'outdated_version';
  const key = ruleIdentity(marker.policy_id, marker.rule_hash);
  const desired = known.get(key);
  if (!desired) return 'leftover';
  if (!isSameRule(desired, marker, rule)) return 'content_differs';
  if (!rule.enable) return 'disabled';
  return open.delete(key) ? desired : 'duplicate';
}

/**
 * Compares the desired rules of one guest with its live rules. Rules without a marker are unmanaged: they are never
 * touched, and managed rules are placed before or after all of them. A rule with a marker of another installation or
 * guest (a clone, a restored backup) is not kept as managed. Applying the result and comparing again finds nothing to
 * do. `desired` is in order of evaluation and has every policy of the guest, or rules of the others count as
 * leftovers.
 */
export function diffGuest(desired: readonly DesiredRule[], live: readonly LiveRule[], options: DiffOptions): GuestDiff {
  const ranks = new Map(desired.map((rule, rank) => [rule, rank]));
  const known = new Map(desired.map((rule) => [ruleIdentity(rule.policy_id, rule.rule_hash), rule]));
  const open = new Map(known);
  const policies = new Map(desired.map((rule) => [rule.policy_id, rule]));
  const kept: KeptRule[] = [];
  const removed: StaleRule[] = [];
  const foreign: LiveRule[] = [];
  const sorted = [...live].sort((a, b) => a.pos - b.pos);
  for (const rule of sorted) {
    const found = matchRule(rule, open, known, policies, options);
    if (found === null) foreign.push(rule);
    else if (typeof found === 'object') kept.push({ rule, desired: found });
    else removed.push({ rule, policy_id: parseMarker(rule.comment)?.policy_id ?? '', reason: found });
  }
  const first = foreign[0]?.pos ?? Number.POSITIVE_INFINITY;
  const last = foreign.at(-1)?.pos ?? Number.NEGATIVE_INFINITY;
  const isBeyond = ({ rule }: KeptRule) => (options.placement === 'above' ? rule.pos > first : rule.pos < last);
  const inPlace = kept.filter((item) => !isBeyond(item));
  const stays = longestIncreasingSubsequence(inPlace.map((item) => ranks.get(item.desired) ?? 0));
  const staying = new Set(inPlace.filter((_, at) => stays.has(at)));
  const moved = kept
    .filter((item) => !staying.has(item))
    .map((item) => ({ ...item, reason: isBeyond(item) ? ('foreign_rule' as const) : ('order' as const) }));
  const liveOf = new Map(kept.map((item) => [item.desired, item.rule]));
  const ours = desired.map((rule) => liveOf.get(rule) ?? rule);
  return {
    kept,
    moved,
    added: desired.filter((rule) => !liveOf.has(rule)),
    removed,
    result: options.placement === 'above' ? [...ours, ...foreign] : [...foreign, ...ours],
  };
}
