import type { LiveRule } from '../../firewall/live-state';
import type { PlanStep } from './guest-filter';
import type { Layout, Slot } from './layout';

type Deciding = Pick<LiveRule, 'type' | 'action'>;

const isEffective = (rule: LiveRule) => Boolean(rule.enable) && rule.errors === undefined;

/** Whether it makes no difference to any packet in which order two rules stand. */
const commutes = (a: Deciding, b: Deciding): boolean =>
  // What a group holds is not known here.
  a.type !== 'group' && b.type !== 'group' && (a.type !== b.type || a.action === b.action);

type DesiredSlot = Extract<Slot, { kind: 'desired' }>;

/**
 * Answers whether a rule commutes with everything that decides in a part of a list; null decides nothing. A list is walked once for
 * each direction and action, however many parts are asked for.
 */
function createCommuteCheck(list: readonly (Deciding | null)[]) {
  const counts = new Map<string, number[]>();
  return (rule: Deciding, from: number, to: number): boolean => {
    const key = `${rule.type} ${rule.action}`;
    let against = counts.get(key);
    if (!against) {
      let found = 0;
      against = [0];
      for (const item of list) {
        if (item && !commutes(item, rule)) found += 1;
        against.push(found);
      }
      counts.set(key, against);
    }
    return against[from] === against[to];
  };
}

const toDeciding = (rule: LiveRule): Deciding | null => (isEffective(rule) ? rule : null);

/** Where each slot's rule belongs: behind the live rule that stands right before it, whose index this is; -1 without one. */
function listPredecessors(slots: readonly Slot[], indexes: ReadonlyMap<LiveRule, number>): number[] {
  let last = -1;
  return slots.map((slot) => {
    const before = last;
    const rule = slot.kind === 'anchor' ? slot.rule : slot.in_place ? slot.live : null;
    if (rule) last = indexes.get(rule) ?? -1;
    return before;
  });
}

type Mover = { slot: DesiredSlot; from: number; to: number; neutral: boolean };

/** A layout with what its steps need to know about the list. */
function indexLayout({ slots }: Layout, rules: readonly LiveRule[]) {
  const indexes = new Map(rules.map((rule, at) => [rule, at]));
  const predecessors = listPredecessors(slots, indexes);
  const commutesWithLive = createCommuteCheck(rules.map(toDeciding));
  const movers = slots.flatMap((slot, at): Mover[] => {
    if (slot.kind !== 'desired' || !slot.live || slot.in_place) return [];
    const { live } = slot;
    const from = indexes.get(live) ?? -1;
    const behind = predecessors[at] ?? -1;
    const to = behind > from ? behind : behind + 1;
    const neutral =
      !isEffective(live) || (to > from ? commutesWithLive(live, from + 1, to + 1) : commutesWithLive(live, to, from));
    return [{ slot, from, to, neutral }];
  });
  return { indexes, predecessors, commutesWithLive, movers };
}

const toMoveStep = ({ from, to }: Pick<Mover, 'from' | 'to'>): PlanStep => ({ kind: 'move_rule', pos: from, to });

/**
 * The next writes on the way to a state in which every desired rule is enabled and in its place; rules to be removed,
 * and those that have to move down, stay for now. As many as follow from this state alone, at least one if any is left.
 *
 * New rules are added from the last to the first, because they land on top; those that could decide too early are
 * added disabled. Then they are enabled, and others moved up, from the top down. So at every moment each packet is
 * decided either as before or as it will be in the end.
 */
export function stepsUp(layout: Layout, rules: readonly LiveRule[]): PlanStep[] {
  const { slots } = layout;
  const { indexes, predecessors, commutesWithLive, movers } = indexLayout(layout, rules);
  const neutral = movers.find((mover) => mover.neutral);
  if (neutral) return [toMoveStep(neutral)];
  const commutesWithSlots = createCommuteCheck(
    slots.map((slot) => (slot.kind === 'anchor' ? toDeciding(slot.rule) : slot.desired.content)),
  );
  const steps: PlanStep[] = [];
  for (let at = slots.length - 1; at >= 0; at--) {
    const slot = slots[at];
    if (slot?.kind !== 'desired' || slot.live) continue;
    const { desired } = slot;
    const to = (predecessors[at] ?? -1) + 1;
    // It may decide on top if everything that will be above it decides the same.
    const enable = commutesWithSlots(desired.content, 0, at) && commutesWithLive(desired.content, 0, to) ? 1 : 0;
    steps.push({ kind: 'create_rule', rule: desired, enable });
    if (movers.length > 0) return steps;
    // While nothing else is to be moved, it goes to its place next. What is added later belongs above it or behind the same rule.
    if (to > 0) steps.push(toMoveStep({ from: 0, to }));
  }
  if (steps.length > 0) return steps;
  const bySlot = new Map(movers.map((mover) => [mover.slot, mover]));
  for (const slot of slots) {
    if (slot.kind !== 'desired' || !slot.live) continue;
    const mover = bySlot.get(slot);
    if (mover ? mover.to < mover.from : !slot.live.enable) {
      steps.push(mover ? toMoveStep(mover) : { kind: 'enable_rule', pos: indexes.get(slot.live) ?? -1 });
      if (movers.length > 0) break;
    }
  }
  return steps;
}

/** The next writes that remove, or move down, the lowest rules that are in the wrong place; as many as follow from this state alone. */
export function stepsDown(layout: Layout, rules: readonly LiveRule[]): PlanStep[] {
  const { indexes, movers } = indexLayout(layout, rules);
  const stale = layout.stale.map(({ rule }) => indexes.get(rule) ?? -1).sort((a, b) => b - a);
  const mover = movers.reduce<Mover | null>((low, one) => (low && low.from > one.from ? low : one), null);
  if (mover && mover.from > (stale[0] ?? -1)) return [toMoveStep(mover)];
  return (mover ? stale.slice(0, 1) : stale).map((pos) => ({ kind: 'delete_rule', pos }));
}
