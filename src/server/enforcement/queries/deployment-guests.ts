import { and, asc, eq, ilike, inArray, isNotNull, or, sql } from 'drizzle-orm';
import { DeploymentGuest, type DeploymentGuestListInput, type GuestResultStatus } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, likePattern, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { deploymentGuests } from '../../db/schema/deployments';
import { deployments } from '../../db/schema/policies';
import type { DeploymentRow } from './deployments';

export type DeploymentGuestRow = typeof deploymentGuests.$inferSelect;

const columns = selectColumns(DeploymentGuest, deploymentGuests, {
  reason: sql<
    string | null
  >`case when ${deploymentGuests.status} = 'skipped' then ${deploymentGuests.problems} -> 0 ->> 'code' end`,
});

/** Guests of a deployment page by page, by vmid unless asked otherwise; `q` is part of the name, or the vmid. Two queries. */
export function listDeploymentGuests(
  deploymentId: string,
  input: DeploymentGuestListInput,
): Promise<Page<DeploymentGuest>> {
  const filters = [
    eq(deploymentGuests.deployment_id, deploymentId),
    ...buildConditions(input, deploymentGuests, {
      q: (text) => or(ilike(deploymentGuests.name, likePattern(text)), sql`${deploymentGuests.vmid}::text = ${text}`),
    }),
  ];
  return queryPage(
    input,
    { sorts: { vmid: { column: deploymentGuests.vmid } }, sort: 'vmid', id: deploymentGuests.id },
    (paging) => ({
      rows: db
        .select(columns)
        .from(deploymentGuests)
        .where(and(...filters, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(deploymentGuests, and(...filters)),
    }),
  );
}

/** All guests of some deployments, without plans and states. */
export function listGuestsByDeployments(
  executor: Executor,
  deploymentIds: readonly string[],
): Promise<DeploymentGuest[]> {
  if (deploymentIds.length === 0) return Promise.resolve([]);
  return executor
    .select(columns)
    .from(deploymentGuests)
    .where(inArray(deploymentGuests.deployment_id, [...deploymentIds]))
    .orderBy(asc(deploymentGuests.vmid), asc(deploymentGuests.id));
}

/** One guest of a deployment, with plan and state. */
export async function findDeploymentGuest(
  executor: Executor,
  deploymentId: string,
  workloadId: string,
): Promise<DeploymentGuestRow | null> {
  const [row] = await executor
    .select()
    .from(deploymentGuests)
    .where(and(eq(deploymentGuests.deployment_id, deploymentId), eq(deploymentGuests.workload_id, workloadId)));
  return row ?? null;
}

/**
 * How a guest was before the first write of a deployment there; of a change, before that of its first deployment of the policy, which
 * this one continues. Null: nothing was written yet.
 */
export async function findStateBefore(
  executor: Executor,
  { id, change_id, policy_id, wave }: Pick<DeploymentRow, 'id' | 'change_id' | 'policy_id' | 'wave'>,
  workloadId: string,
): Promise<DeploymentGuestRow['state_before']> {
  const isOfDeployment =
    change_id === null || wave === null
      ? eq(deployments.id, id)
      : and(eq(deployments.change_id, change_id), eq(deployments.policy_id, policy_id), eq(deployments.wave, wave));
  const [row] = await executor
    .select({ state_before: deploymentGuests.state_before })
    .from(deploymentGuests)
    .innerJoin(deployments, eq(deployments.id, deploymentGuests.deployment_id))
    .where(and(isOfDeployment, eq(deploymentGuests.workload_id, workloadId), isNotNull(deploymentGuests.state_before)))
    .orderBy(asc(deploymentGuests.started_at))
    .limit(1);
  return row?.state_before ?? null;
}

type NewGuest = Pick<DeploymentGuestRow, 'deployment_id' | 'workload_id' | 'vmid' | 'name'>;

/** Adds guests that are to be done; those that are known keep what became of them. */
export async function insertDeploymentGuests(tx: Tx, guests: readonly NewGuest[]): Promise<void> {
  for (let from = 0; from < guests.length; from += 1_000) {
    await tx
      .insert(deploymentGuests)
      .values(guests.slice(from, from + 1_000).map((guest) => ({ ...guest, status: 'queued' as const })))
      .onConflictDoNothing();
  }
}

/** Resets all guests: the desired state is no longer the one from when the deployment began. */
export async function resetDeploymentGuests(tx: Tx, deploymentId: string): Promise<void> {
  await tx
    .update(deploymentGuests)
    .set({ status: 'queued', problems: [], dormant: null, difference: null, finished_at: null })
    .where(eq(deploymentGuests.deployment_id, deploymentId));
}

type Changes = Partial<Omit<DeploymentGuestRow, 'id' | 'deployment_id' | 'workload_id' | 'writes'>>;

/** Stores what became of a guest; `writes` are added, and the state before the very first write is kept. */
export async function updateDeploymentGuest(
  executor: Executor,
  key: { deployment_id: string; workload_id: string },
  { state_before, ...changes }: Changes,
  writes = 0,
): Promise<void> {
  await executor
    .update(deploymentGuests)
    .set({
      ...changes,
      ...(state_before !== undefined && {
        state_before: sql`coalesce(${deploymentGuests.state_before}, ${JSON.stringify(state_before)}::jsonb)`,
      }),
      ...(writes > 0 && { writes: sql`${deploymentGuests.writes} + ${writes}` }),
    })
    .where(
      and(eq(deploymentGuests.deployment_id, key.deployment_id), eq(deploymentGuests.workload_id, key.workload_id)),
    );
}

/** Ids of the guests of a deployment that ended in one of these ways. */
export async function listWorkloadIdsBy(
  executor: Executor,
  deploymentId: string,
  statuses: readonly GuestResultStatus[],
): Promise<Set<string>> {
  const rows = await executor
    .select({ workload_id: deploymentGuests.workload_id })
    .from(deploymentGuests)
    .where(and(eq(deploymentGuests.deployment_id, deploymentId), inArray(deploymentGuests.status, [...statuses])));
  return new Set(rows.map((row) => row.workload_id));
}
