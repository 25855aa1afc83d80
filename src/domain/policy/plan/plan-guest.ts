import { applyInOrder, withPositions } from './apply-step';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';
import { createLayouts } from './layout';
import { nextSteps } from './next-step';
import { recordStep } from './switch-changes';

/** More writes than any guest needs: a rule is created, moved, enabled and deleted once at most, an entry and a flag written once. */
export function maxSteps({ rules, sets, nics }: GuestFilter, intent: GuestIntent): number {
  const entries = Object.values(sets).reduce((sum, list) => sum + list.length + 1, 0);
  const desiredEntries = intent.sets.reduce((sum, { cidrs }) => sum + cidrs.length + 1, 0);
  return 4 * (rules.length + intent.rules.length) + 2 * (entries + desiredEntries) + nics.length + 6;
}

/**
 * All writes that lead from the live configuration to the desired one, if no one else writes in between.
 * @throws Error when it would not end, which is a bug in Fabric
 */
export function planGuest(state: GuestFilter, intent: GuestIntent): { steps: PlanStep[]; after: GuestFilter } {
  const steps: PlanStep[] = [];
  let after = state;
  let now = intent;
  const layouts = createLayouts(intent);
  for (const most = maxSteps(state, intent); ; ) {
    const next = nextSteps(after, now, layouts);
    if (next.length === 0) return { steps, after: withPositions(after) };
    if (steps.length + next.length > most) {
      throw new Error(`guest ${intent.vmid}: expected a plan of at most ${most} writes`);
    }
    for (const step of next) {
      steps.push(step);
      if (!now.restore) continue;
      const written = recordStep(now.restore.written, now.restore.baseline, after, step);
      now = { ...now, restore: { ...now.restore, written } };
    }
    after = applyInOrder(after, next);
  }
}
