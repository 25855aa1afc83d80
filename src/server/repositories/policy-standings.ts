import { inArray } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { guestFirewalls, policyPlacements } from '../db/schema/deployments';

export type AppliedPolicy = typeof policyPlacements.$inferSelect;

/** Which policies were applied at which guests, or are being applied. */
export async function listPlacedPairs(executor: Executor): Promise<{ policy_id: string; workload_id: string }[]> {
  return executor
    .select({ policy_id: policyPlacements.policy_id, workload_id: policyPlacements.workload_id })
    .from(policyPlacements);
}

/** What was last applied at these guests, of every policy. */
export async function listAppliedAt(executor: Executor, workloadIds: readonly string[]): Promise<AppliedPolicy[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(policyPlacements)
    .where(inArray(policyPlacements.workload_id, [...workloadIds]));
}

/** The defaults that these guests had before a policy asked for another one. */
export async function listDefaultsBefore(
  executor: Executor,
  workloadIds: readonly string[],
): Promise<Map<string, { in: 'ACCEPT' | 'REJECT' | null; out: 'ACCEPT' | 'REJECT' | null }>> {
  if (workloadIds.length === 0) return new Map();
  const rows = await executor
    .select({
      workload_id: guestFirewalls.workload_id,
      in: guestFirewalls.default_in_before,
      out: guestFirewalls.default_out_before,
    })
    .from(guestFirewalls)
    .where(inArray(guestFirewalls.workload_id, [...workloadIds]));
  return new Map(rows.map(({ workload_id, ...defaults }) => [workload_id, defaults]));
}
