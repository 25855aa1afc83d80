import { and, eq, inArray, sql } from 'drizzle-orm';
import type { StoredState } from '@/domain/deployments';
import type { WrittenSwitches } from '@/domain/policy/plan/guest-filter';
import type { Executor } from '../../db/client';
import { pgArray } from '../../db/pg-array';
import { guestFirewalls } from '../../db/schema/deployments';
import { isOutside } from '../../jobs/queries/run-leases';

export type GuestFirewallRow = typeof guestFirewalls.$inferSelect;

/** A writer that gives no sign of life for this long may be replaced. */
export const GUEST_LEASE_SECONDS = 30;

/** Makes `owner` the one writer of a guest's firewall. Null when a living one is at it, or the guest is gone. */
export async function claimGuest(
  executor: Executor,
  workloadId: string,
  owner: string,
): Promise<GuestFirewallRow | null> {
  const rows = await executor.execute<GuestFirewallRow>(sql`
    insert into ${guestFirewalls} (workload_id, lease_owner, lease_at)
    select w.id, ${owner}, now() from workloads w where w.id = ${workloadId}
    on conflict (workload_id) do update set lease_owner = excluded.lease_owner, lease_at = excluded.lease_at
    where ${guestFirewalls.lease_owner} is null or ${guestFirewalls.lease_owner} = excluded.lease_owner
      or ${isOutside(guestFirewalls.lease_at, GUEST_LEASE_SECONDS)}
    returning workload_id, lease_owner, lease_at, default_in_before, default_out_before, baseline, switches_written`);
  return rows[0] ?? null;
}

/** Prolongs the writer's hold on these guests. @returns those that it still holds */
export async function renewGuests(
  executor: Executor,
  workloadIds: readonly string[],
  owner: string,
): Promise<Set<string>> {
  if (workloadIds.length === 0) return new Set();
  const rows = await executor
    .update(guestFirewalls)
    .set({ lease_at: sql`now()` })
    .where(and(inArray(guestFirewalls.workload_id, [...workloadIds]), eq(guestFirewalls.lease_owner, owner)))
    .returning({ workload_id: guestFirewalls.workload_id });
  return new Set(rows.map((row) => row.workload_id));
}

export async function releaseGuest(executor: Executor, workloadId: string, owner: string): Promise<void> {
  await executor
    .update(guestFirewalls)
    .set({ lease_owner: null, lease_at: null })
    .where(and(eq(guestFirewalls.workload_id, workloadId), eq(guestFirewalls.lease_owner, owner)));
}

type Defaults = Partial<Pick<GuestFirewallRow, 'default_in_before' | 'default_out_before'>>;

/** Notes what a default was before we change it; what is noted already stays. */
export async function recordDefaults(executor: Executor, workloadId: string, before: Defaults): Promise<void> {
  await executor
    .update(guestFirewalls)
    .set({
      ...(before.default_in_before && {
        default_in_before: sql`coalesce(${guestFirewalls.default_in_before}, ${before.default_in_before})`,
      }),
      ...(before.default_out_before && {
        default_out_before: sql`coalesce(${guestFirewalls.default_out_before}, ${before.default_out_before})`,
      }),
    })
    .where(eq(guestFirewalls.workload_id, workloadId));
}

/** Forgets what defaults were: they are so again. */
export async function clearDefaults(executor: Executor, workloadId: string, gone: Defaults): Promise<void> {
  await executor.update(guestFirewalls).set(gone).where(eq(guestFirewalls.workload_id, workloadId));
}

/** Stores how the guest was before the first policy; what is stored already stays. */
export async function recordBaseline(executor: Executor, workloadId: string, baseline: StoredState): Promise<void> {
  await executor
    .update(guestFirewalls)
    .set({ baseline: sql`coalesce(${guestFirewalls.baseline}, ${JSON.stringify(baseline)}::jsonb)` })
    .where(eq(guestFirewalls.workload_id, workloadId));
}

/** Stores what is written to the switches of a guest. */
export async function recordSwitches(executor: Executor, workloadId: string, written: WrittenSwitches): Promise<void> {
  await executor
    .update(guestFirewalls)
    .set({ switches_written: written })
    .where(eq(guestFirewalls.workload_id, workloadId));
}

/** Nothing of Fabric is left at the guest, so there is nothing to undo. */
export async function clearOrigin(executor: Executor, workloadId: string): Promise<void> {
  await executor
    .update(guestFirewalls)
    .set({ baseline: null, switches_written: null, default_in_before: null, default_out_before: null })
    .where(eq(guestFirewalls.workload_id, workloadId));
}

/** What is known about these guests before their first policy, and about what policies wrote. */
export async function listOrigins(executor: Executor, workloadIds: readonly string[]): Promise<GuestFirewallRow[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(guestFirewalls)
    .where(inArray(guestFirewalls.workload_id, [...workloadIds]));
}

/** Guests that these policies left and whose switches could not be restored then, with the policy. */
export async function listUnrestored(
  executor: Executor,
  policyIds: readonly string[],
): Promise<{ policy_id: string; workload_id: string }[]> {
  if (policyIds.length === 0) return [];
  const rows = await executor.execute<{ policy_id: string; workload_id: string }>(sql`
    select distinct d.policy_id, f.workload_id from ${guestFirewalls} f
    join deployment_guests g on g.workload_id = f.workload_id join deployments d on d.id = g.deployment_id
    where f.baseline is not null and d.policy_id = any (${pgArray('uuid', policyIds)})
      and not exists (select from policy_placements p where p.workload_id = f.workload_id)`);
  return [...rows];
}
