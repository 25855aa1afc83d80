import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { Deployment, type DeploymentListInput } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import type { Owned, Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { clusters } from '../../db/schema/clusters';
import { deploymentGuests } from '../../db/schema/deployments';
import { deployments } from '../../db/schema/policies';
import { runLeases } from '../../jobs/queries/run-leases';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';

export type DeploymentRow = typeof deployments.$inferSelect;

/** Another deployment of the policy may wait already, and only one may: so those given back stay `running`. */
export const deploymentLeases = runLeases(deployments, 'running');

/** Deployments belong to the tenant or project that their policy had then, those of platform policies to the platform. */
const inReach = (reach: Reach): SQL | undefined => ownedInReach(deployments, reach);

const guestCounts = sql<Deployment['guests']>`coalesce((select json_object_agg(counted.status, counted.n) from (
  select ${deploymentGuests.status} as status, count(*)::int as n from ${deploymentGuests}
  where ${deploymentGuests.deployment_id} = ${deployments.id} group by 1) counted), '{}')`;

const columns = selectColumns(Deployment, deployments, {
  cluster_name: clusters.name,
  from_preview: sql<boolean>`${deployments.fingerprints} is not null`,
  guests: guestCounts,
  notes: sql<Deployment['notes']>`'[]'::jsonb`,
});

const selected = (executor: Executor) =>
  executor.select(columns).from(deployments).innerJoin(clusters, eq(clusters.id, deployments.cluster_id));

export async function findDeployment(
  executor: Executor,
  reach: Reach,
  id: string,
): Promise<(Deployment & Owned) | null> {
  const [row] = await executor
    .select({ ...columns, tenant_id: deployments.tenant_id, project_id: deployments.project_id })
    .from(deployments)
    .innerJoin(clusters, eq(clusters.id, deployments.cluster_id))
    .where(and(eq(deployments.id, id), inReach(reach)));
  return row ?? null;
}

/** The workloads that a deployment is limited to; null: it is not. */
export async function findDeploymentLimit(executor: Executor, id: string): Promise<string[] | null> {
  const [row] = await executor
    .select({ workload_ids: deployments.workload_ids })
    .from(deployments)
    .where(eq(deployments.id, id));
  return row?.workload_ids ?? null;
}

/** These deployments, by cluster. */
export async function listDeploymentsByIds(executor: Executor, ids: readonly string[]): Promise<Deployment[]> {
  if (ids.length === 0) return [];
  return selected(executor)
    .where(inArray(deployments.id, [...ids]))
    .orderBy(clusters.name, deployments.id);
}

/** Deployments page by page, newest first unless asked otherwise; `q` is part of the policy's name. Two queries. */
export function listDeployments(reach: Reach, input: DeploymentListInput): Promise<Page<Deployment>> {
  const filters = [
    inReach(reach),
    ...buildConditions(input, deployments, {
      q: hasText(deployments.policy_name, hasName(deployments.cluster_id, clusters)),
      workload_id: (id) => sql`exists (select 1 from ${deploymentGuests}
        where ${eq(deploymentGuests.deployment_id, deployments.id)} and ${eq(deploymentGuests.workload_id, id)})`,
    }),
  ];
  return queryPage(
    input,
    { sorts: { created_at: { column: deployments.id } }, sort: '-created_at', id: deployments.id },
    (paging) => ({
      rows: selected(db)
        .where(and(...filters, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(deployments, and(...filters)),
    }),
  );
}

type GuestMessage = {
  deployment_id: string;
  kind: 'problem' | 'note';
  code: string;
  guests: number;
  first: string;
  message: string;
  remedy: string | null;
};

/** What guests of these deployments say, once for each code, with the first guest by name. */
function listGuestMessages(executor: Executor, ids: readonly string[]): Promise<GuestMessage[]> {
  const each = (column: 'problems' | 'notes', kind: GuestMessage['kind']) => sql`
    select g.deployment_id, ${sql.raw(`'${kind}'`)} as kind, g.workload_id, g.vmid, g.name, p
      from deployment_guests g cross join lateral jsonb_array_elements(g.${sql.raw(column)}) p
      where g.deployment_id in (${sql.join(
        ids.map((id) => sql`${id}::uuid`),
        sql`, `,
      )})`;
  return executor.execute<GuestMessage>(sql`
    select deployment_id, kind, p ->> 'code' as code, count(distinct workload_id)::int as guests,
      (array_agg(name || ' (' || vmid || ')' order by vmid))[1] as first,
      (array_agg(p ->> 'message' order by vmid))[1] as message, (array_agg(p ->> 'remedy' order by vmid))[1] as remedy
    from (${each('problems', 'problem')} union all ${each('notes', 'note')}) told
    group by deployment_id, kind, p ->> 'code' order by guests desc, code`);
}

/** Adds to deployments the problems of their guests, and what else should be known about them. */
export async function withGuestProblems<T extends Deployment>(executor: Executor, rows: readonly T[]): Promise<T[]> {
  if (rows.length === 0) return [];
  const reported = await listGuestMessages(
    executor,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const of = (kind: GuestMessage['kind']) =>
      reported
        .filter((item) => item.deployment_id === row.id && item.kind === kind)
        .map(({ code, guests, first, message, remedy }) => {
          const who = guests > 1 ? `${first} and ${guests - 1} more` : first;
          return { code, message: `${who}: ${message}`, remedy, guests };
        });
    return { ...row, problems: [...row.problems, ...of('problem')], notes: of('note') };
  });
}

type NewDeployment = Pick<
  DeploymentRow,
  | 'operation_id'
  | 'policy_id'
  | 'policy_name'
  | 'policy_version'
  | 'tenant_id'
  | 'project_id'
  | 'cluster_id'
  | 'kind'
  | 'trigger'
  | 'requested_by'
> & {
  retry_of?: string;
  fingerprints?: Readonly<Record<string, string>>;
  change_id?: string;
  wave?: number;
  workload_ids?: readonly string[] | null;
};

/**
 * Adds a waiting deployment. One of the same kind that is already waiting is reused: it reads the desired state when
 * it starts. One that may only write what a preview showed, and one that is limited to some workloads, is always added separately.
 * @returns the one that waits
 */
export async function insertDeployment(tx: Tx, row: NewDeployment): Promise<string> {
  const [added] = await tx
    .insert(deployments)
    .values({ ...row, workload_ids: row.workload_ids ? [...row.workload_ids] : null, status: 'queued' })
    .onConflictDoNothing()
    .returning({ id: deployments.id });
  if (added) return added.id;
  const [waiting] = await tx
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.policy_id, row.policy_id),
        eq(deployments.cluster_id, row.cluster_id),
        eq(deployments.kind, row.kind),
        eq(deployments.status, 'queued'),
        isNull(deployments.retry_of),
        isNull(deployments.fingerprints),
        isNull(deployments.workload_ids),
        isNull(deployments.change_id),
      ),
    );
  // It began at this very moment: the requested one then has to come after it.
  return waiting?.id ?? insertDeployment(tx, row);
}

/** Whether a deployment of the policy waits or runs; removals after moves are the system's. */
export async function isUnderWay(executor: Executor, policyId: string): Promise<boolean> {
  const where = and(
    eq(deployments.policy_id, policyId),
    inArray(deployments.status, ['queued', 'running']),
    ne(deployments.kind, 'removal'),
  );
  return (await executor.$count(deployments, where)) > 0;
}

/** Clusters in which a policy was ever worked on and that still exist. */
export async function listDeployedClusterIds(executor: Executor, policyId: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ cluster_id: deployments.cluster_id })
    .from(deployments)
    .where(and(eq(deployments.policy_id, policyId), ne(deployments.kind, 'removal')));
  return rows.map((row) => row.cluster_id);
}

/** What kind of work the deployments are, for those that still exist. */
export function listDeploymentKinds(
  executor: Executor,
  ids: readonly string[],
): Promise<Pick<DeploymentRow, 'id' | 'kind'>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return executor
    .select({ id: deployments.id, kind: deployments.kind })
    .from(deployments)
    .where(inArray(deployments.id, [...ids]));
}
