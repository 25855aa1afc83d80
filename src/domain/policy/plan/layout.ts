import type { LiveRule } from '../../firewall/live-state';
import {
  isLiveVersion,
  isSameRule,
  longestIncreasingSubsequence,
  ruleIdentity,
  type StaleRuleReason,
} from '../compare-rules';
import type { DesiredRule } from '../desired';
import { parseMarker } from '../marker';
import type { GuestIntent } from './guest-filter';

/** A place in the list as it shall be. */
export type Slot =
  /** Not to be changed now: an unmanaged rule, or a rule of a policy that is not being applied. */
  | { readonly kind: 'anchor'; readonly rule: LiveRule }
  | {
      readonly kind: 'desired';
      readonly desired: DesiredRule;
      readonly live: LiveRule | null;
      readonly in_place: boolean;
    };

export type Layout = {
  /** The list as it shall be. */
  readonly slots: readonly Slot[];
  /** Live rules that are to go. */
  readonly stale: readonly { readonly rule: LiveRule; readonly reason: StaleRuleReason }[];
};

type Anchor = { rule: LiveRule; rank: number | null; foreign: boolean };

/** The live copy of a desired rule to keep: an enabled one; of several the lowest, since copies are added on top. */
function bestCopy(copies: readonly LiveRule[]): LiveRule | null {
  return copies.findLast((rule) => rule.enable) ?? copies.at(-1) ?? null;
}

/** How many anchors are evaluated before the rules of each policy. */
function createGapFinder(anchors: readonly Anchor[], { placement }: GuestIntent): (rank: number) => number {
  const firstForeign = anchors.findIndex(({ foreign }) => foreign);
  const limit = placement === 'above' && firstForeign >= 0 ? firstForeign : anchors.length;
  const low = placement === 'below' ? anchors.findLastIndex(({ foreign }) => foreign) + 1 : 0;
  return (rank) => {
    const at = anchors.findIndex(
      (anchor, index) => index >= low && index < limit && anchor.rank !== null && anchor.rank > rank,
    );
    return at < 0 ? limit : at;
  };
}

/**
 * Compares live rules with the desired rules of the policies in scope. Unmanaged rules and rules of other policies
 * keep their order among themselves; the desired rules are placed between them in policy order.
 */
export function computeLayout(live: readonly LiveRule[], intent: GuestIntent): Layout {
  const { scope, instance, vmid, remove_strays, order, rules: desired } = intent;
  const ranks = new Map(order.map((id, rank) => [id, rank]));
  const policies = new Map(desired.map((rule) => [rule.policy_id, rule]));
  const byIdentity = new Map(desired.map((rule) => [ruleIdentity(rule.policy_id, rule.rule_hash), rule]));
  const anchors: Anchor[] = [];
  const stale: { rule: LiveRule; reason: StaleRuleReason }[] = [];
  const copies = new Map<DesiredRule, LiveRule[]>();
  const gaps = new Map<LiveRule, number>();
  for (const rule of live) {
    gaps.set(rule, anchors.length);
    const marker = parseMarker(rule.comment);
    const inScope = marker !== null && marker.instance === instance && scope.has(marker.policy_id);
    const stray = marker !== null && (marker.instance !== instance || marker.vmid !== vmid);
    if (stray && (remove_strays || inScope)) {
      stale.push({ rule, reason: marker.instance === instance ? 'other_vmid' : 'foreign_instance' });
    } else if (!marker || stray || !inScope) {
      const rank = marker && !stray ? (ranks.get(marker.policy_id) ?? null) : null;
      anchors.push({ rule, rank, foreign: !marker || stray });
    } else {
      const found = byIdentity.get(ruleIdentity(marker.policy_id, marker.rule_hash));
      const present = policies.get(marker.policy_id);
      if (present && !isLiveVersion(present, marker.version)) stale.push({ rule, reason: 'outdated_version' });
      else if (!found) stale.push({ rule, reason: 'leftover' });
      else if (!isSameRule(found, marker, rule)) stale.push({ rule, reason: 'content_differs' });
      else copies.set(found, [...(copies.get(found) ?? []), rule]);
    }
  }
  const kept = new Map<DesiredRule, LiveRule>();
  for (const [rule, list] of copies) {
    const best = bestCopy(list);
    if (best) kept.set(rule, best);
    for (const copy of list) if (copy !== best) stale.push({ rule: copy, reason: 'duplicate' });
  }
  const gap = createGapFinder(anchors, intent);
  const gapOfDesired = desired.map(({ policy_id }) => gap(ranks.get(policy_id) ?? order.length));
  // Between the right anchors: these can stay, as many as are in ascending order.
  const candidates = desired
    .map((rule, index) => ({ index, live: kept.get(rule) }))
    .filter(({ index, live: rule }) => rule !== undefined && gaps.get(rule) === gapOfDesired[index])
    .sort((a, b) => (a.live?.pos ?? 0) - (b.live?.pos ?? 0));
  const rising = longestIncreasingSubsequence(candidates.map(({ index }) => index));
  const staying = new Set(candidates.filter((_, at) => rising.has(at)).map(({ index }) => index));
  const slots: Slot[] = [];
  let next = 0;
  for (let before = 0; before <= anchors.length; before++) {
    for (; next < desired.length && (gapOfDesired[next] ?? 0) <= before; next++) {
      const rule = desired[next];
      if (!rule) continue;
      slots.push({ kind: 'desired', desired: rule, live: kept.get(rule) ?? null, in_place: staying.has(next) });
    }
    const anchor = anchors[before];
    if (anchor) slots.push({ kind: 'anchor', rule: anchor.rule });
  }
  return { slots, stale };
}
