import type { LiveRule } from '../../firewall/live-state';
import type { RuleContent } from '../desired';
import type { PlanStep } from './guest-filter';
import type { Layout, Slot } from './layout';

type Deciding = Pick<LiveRule, 'type' | 'action'>;

const isEffective = (rule: LiveRule) => Boolean(rule.enable) && rule.errors === undefined;

/** Whether it makes no difference to any packet in which order two rules stand. */
const commutes = (a: Deciding, b: Deciding): boolean =>
  // What a group holds is not known here.
  a.type !== 'group' && b.type !== 'group' && (a.type !== b.type || a.action === b.action);

type DesiredSlot = Extract<Slot, { kind: 'desired' }>;

/** Where the rule of a slot belongs among the live rules without itself: behind what stands right before it. */
function computeTargetIndex(slots: readonly Slot[], at: number, rest: readonly LiveRule[]): number {
  for (let before = at - 1; before >= 0; before--) {
    const slot = slots[before];
    const rule = slot?.kind === 'anchor' ? slot.rule : slot?.in_place ? slot.live : null;
    if (rule) return rest.indexOf(rule) + 1;
  }
  return 0;
}

type Mover = { at: number; slot: DesiredSlot; live: LiveRule; from: number; to: number; neutral: boolean };

function listMovers({ slots }: Layout, rules: readonly LiveRule[]): Mover[] {
  return slots.flatMap((slot, at): Mover[] => {
    if (slot.kind !== 'desired' || !slot.live || slot.in_place) return [];
    const { live } = slot;
    const from = rules.indexOf(live);
    const rest = rules.filter((rule) => rule !== live);
    const to = computeTargetIndex(slots, at, rest);
    const crossed = rest.slice(Math.min(from, to), Math.max(from, to));
    const neutral = !isEffective(live) || crossed.every((rule) => !isEffective(rule) || commutes(rule, live));
    return [{ at, slot, live, from, to, neutral }];
  });
}

/** Whether a new rule may decide as soon as it is on top: everything that will be above it decides the same. */
function canEnableOnCreate(content: RuleContent, at: number, { slots }: Layout, rules: readonly LiveRule[]): boolean {
  const target = computeTargetIndex(slots, at, rules);
  const above = slots.slice(0, at).every((slot) => {
    if (slot.kind === 'anchor') return !isEffective(slot.rule) || commutes(slot.rule, content);
    return commutes(slot.desired.content, content);
  });
  return above && rules.slice(0, target).every((rule) => !isEffective(rule) || commutes(rule, content));
}

const toMoveStep = ({ from, to }: Mover): PlanStep => ({ kind: 'move_rule', pos: from, to });

/**
 * The next write on the way to a state in which every desired rule is enabled and in its place; rules to be removed,
 * and those that have to move down, stay for now.
 *
 * New rules are added from the last to the first, because they land on top; those that could decide too early are
 * added disabled. Then they are enabled, and others moved up, from the top down. So at every moment each packet is
 * decided either as before or as it will be in the end.
 */
export function stepUp(layout: Layout, rules: readonly LiveRule[]): PlanStep | null {
  const movers = listMovers(layout, rules);
  const neutral = movers.find((mover) => mover.neutral);
  if (neutral) return toMoveStep(neutral);
  const missing = layout.slots.findLastIndex((slot) => slot.kind === 'desired' && !slot.live);
  const slot = layout.slots[missing];
  if (slot?.kind === 'desired') {
    const enable = canEnableOnCreate(slot.desired.content, missing, layout, rules) ? 1 : 0;
    return { kind: 'create_rule', rule: slot.desired, enable };
  }
  for (const [at, candidate] of layout.slots.entries()) {
    if (candidate.kind !== 'desired' || !candidate.live) continue;
    const mover = movers.find((item) => item.at === at);
    if (mover && mover.to < mover.from) return toMoveStep(mover);
    if (!mover && !candidate.live.enable) return { kind: 'enable_rule', pos: rules.indexOf(candidate.live) };
  }
  return null;
}

/** The next write that removes, or moves down, the lowest rule that is in the wrong place. */
export function stepDown(layout: Layout, rules: readonly LiveRule[]): PlanStep | null {
  const stale = layout.stale.map(({ rule }) => rules.indexOf(rule));
  const movers = listMovers(layout, rules);
  const lowest = Math.max(-1, ...stale, ...movers.map(({ from }) => from));
  if (lowest < 0) return null;
  const mover = movers.find(({ from }) => from === lowest);
  return mover ? toMoveStep(mover) : { kind: 'delete_rule', pos: lowest };
}
