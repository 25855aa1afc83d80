import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { guestFirewalls } from '../db/schema/deployments';

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
      or ${guestFirewalls.lease_at} < now() - ${`${GUEST_LEASE_SECONDS} seconds`}::interval
    returning workload_id, lease_owner, lease_at, default_in_before, default_out_before`);
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
export async function noteDefaults(executor: Executor, workloadId: string, before: Defaults): Promise<void> {
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
export async function forgetDefaults(executor: Executor, workloadId: string, gone: Defaults): Promise<void> {
  await executor.update(guestFirewalls).set(gone).where(eq(guestFirewalls.workload_id, workloadId));
}
