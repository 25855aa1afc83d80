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
  const known = new Map<number, number>();
  return (rank) => {
    const found = known.get(rank);
    if (found !== undefined) return found;
    const at = anchors.findIndex(
      (anchor, index) => index >= low && index < limit && anchor.rank !== null && anchor.rank > rank,
    );
    known.set(rank, at < 0 ? limit : at);
    return at < 0 ? limit : at;
  };
}

/** What a live rule is to an intent, wherever it stands. */
type Role = { readonly stale: StaleRuleReason } | { readonly anchor: Anchor } | { readonly copy_of: DesiredRule };

/** Compares live rules with an intent; what is the same object is parsed and compared once. */
function createComparison(intent: GuestIntent): (rule: LiveRule) => Role {
  const { scope, instance, vmid, remove_strays, order, rules: desired } = intent;
  const ranks = new Map(order.map((id, rank) => [id, rank]));
  const policies = new Map(desired.map((rule) => [rule.policy_id, rule]));
  const byIdentity = new Map(desired.map((rule) => [ruleIdentity(rule.policy_id, rule.rule_hash), rule]));
  const compare = (rule: LiveRule): Role => {
    const marker = parseMarker(rule.comment);
    const inScope = marker !== null && marker.instance === instance && scope.has(marker.policy_id);
    const stray = marker !== null && (marker.instance !== instance || marker.vmid !== vmid);
    if (stray && (remove_strays || inScope)) {
      return { stale: marker.instance === instance ? 'other_vmid' : 'foreign_instance' };
    }
    if (!marker || stray || !inScope) {
      const rank = marker && !stray ? (ranks.get(marker.policy_id) ?? null) : null;
      return { anchor: { rule, rank, foreign: !marker || stray } };
    }
    const found = byIdentity.get(ruleIdentity(marker.policy_id, marker.rule_hash));
    const present = policies.get(marker.policy_id);
    if (present && !isLiveVersion(present, marker.version)) return { stale: 'outdated_version' };
    if (!found) return { stale: 'leftover' };
    return isSameRule(found, marker, rule) ? { copy_of: found } : { stale: 'content_differs' };
  };
  const known = new WeakMap<LiveRule, Role>();
  return (rule) => {
    const role = known.get(rule) ?? compare(rule);
    known.set(rule, role);
    return role;
  };
}

/** Compares lists of live rules with one intent, as `computeLayout` does with one list. The lists are in order of evaluation. */
export function createLayouts(intent: GuestIntent): (live: readonly LiveRule[]) => Layout {
  const { order, rules: desired } = intent;
  const ranks = new Map(order.map((id, rank) => [id, rank]));
  const rankOfDesired = desired.map(({ policy_id }) => ranks.get(policy_id) ?? order.length);
  const getRole = createComparison(intent);
  return (live) => {
    const anchors: Anchor[] = [];
    const stale: { rule: LiveRule; reason: StaleRuleReason }[] = [];
    const copies = new Map<DesiredRule, LiveRule[]>();
    const places = new Map<LiveRule, { at: number; gap: number }>();
    for (const [at, rule] of live.entries()) {
      const role = getRole(rule);
      if ('stale' in role) stale.push({ rule, reason: role.stale });
      else if ('anchor' in role) anchors.push(role.anchor);
      else {
        places.set(rule, { at, gap: anchors.length });
        const list = copies.get(role.copy_of);
        if (list) list.push(rule);
        else copies.set(role.copy_of, [rule]);
      }
    }
    const kept = new Map<DesiredRule, LiveRule>();
    for (const [rule, list] of copies) {
      const best = bestCopy(list);
      if (best) kept.set(rule, best);
      for (const copy of list) if (copy !== best) stale.push({ rule: copy, reason: 'duplicate' });
    }
    const gap = createGapFinder(anchors, intent);
    const gapOfDesired = rankOfDesired.map((rank) => gap(rank));
    // Between the right anchors: these can stay, as many as are in ascending order.
    const candidates = desired
      .flatMap((rule, index) => {
        const best = kept.get(rule);
        const place = best && places.get(best);
        return place && place.gap === gapOfDesired[index] ? [{ index, at: place.at }] : [];
      })
      .sort((a, b) => a.at - b.at);
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
  };
}

/**
 * Compares live rules with the desired rules of the policies in scope. Unmanaged rules and rules of other policies
 * keep their order among themselves; the desired rules are placed between them in policy order.
 */
export const computeLayout = (live: readonly LiveRule[], intent: GuestIntent): Layout => createLayouts(intent)(live);
