import type { FlowTail, FlowTailInput } from '@/domain/flow/flow';
import type { Scope } from '../../auth/scope';
import { flowStore } from '../../traffic/storage/flow-store';
import { withVerdicts } from './flow-verdicts';
import { selectFlows } from './select-flows';

/** A heartbeat is stored some time after the moment it is stamped with; what is asked for overlaps by this. */
const OVERLAP_MS = 10_000;
/** Where a tail without `after` begins, and how much older than `after` a flow may be that an agent reports late. */
const START_MS = 5 * 60_000;
const LATE_MS = 60 * 60_000;

/**
 * The flows within reach that were stored since `after`, the newest first; what is older than an hour before is left to
 * the list. Flows may come twice, so that none is missed.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function tailFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowTailInput,
): Promise<FlowTail> {
  const { selection, now } = await selectFlows(scope, input);
  const after = input.after === undefined ? now - START_MS : Date.parse(input.after);
  const iso = (time: number) => new Date(time).toISOString();
  const recent = { ...selection, since: iso(Math.max(Math.min(after, now) - LATE_MS, 0)) };
  const found = await flowStore().tail(recent, iso(after), input.limit + 1);
  return {
    items: await withVerdicts(found.slice(0, input.limit), rules, input.tenant_id),
    next_after: iso(Math.max(now - OVERLAP_MS, Math.min(after, now))),
    more: found.length > input.limit,
  };
}
