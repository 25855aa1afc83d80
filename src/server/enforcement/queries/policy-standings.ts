import { inArray } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { policyPlacements } from '../../db/schema/deployments';

export type AppliedPolicy = typeof policyPlacements.$inferSelect;

export type PlacedPair = Pick<AppliedPolicy, 'policy_id' | 'workload_id' | 'applied_at' | 'tier' | 'priority'>;

/** Which policies were applied at which guests, when and with what rank; null: they are being applied. */
export async function listPlacedPairs(executor: Executor): Promise<PlacedPair[]> {
  const { policy_id, workload_id, applied_at, tier, priority } = policyPlacements;
  return executor.select({ policy_id, workload_id, applied_at, tier, priority }).from(policyPlacements);
}

/** What was last applied at these guests, of every policy. */
export async function listAppliedAt(executor: Executor, workloadIds: readonly string[]): Promise<AppliedPolicy[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(policyPlacements)
    .where(inArray(policyPlacements.workload_id, [...workloadIds]));
}
