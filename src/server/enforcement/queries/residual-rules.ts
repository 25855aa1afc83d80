import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { DeploymentProblem } from '@/domain/deployments';
import type { Owned, Reach, TenantReach } from '@/domain/permissions';
import { getOwnerId } from '@/domain/policy/acts-on';
import { db, type Executor, type Tx } from '../../db/client';
import { pgArray } from '../../db/pg-array';
import { projects, tenants } from '../../db/schema/access';
import { policyPlacements } from '../../db/schema/deployments';
import { guestFirewallSnapshots } from '../../db/schema/firewall-snapshots';
import { residualRules } from '../../db/schema/moves';
import { deployments, policies } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import { buildActsOnCondition } from './policy-placements';

export type ResidualRow = typeof residualRules.$inferSelect;

/** A workload with the tenant and project that it belongs to, or will. */
export type OwnedWorkload = Owned & { readonly workload_id: string };

/** What a policy left on a workload on which it may not act any more. */
export type LeftBehind = Pick<
  ResidualRow,
  'workload_id' | 'policy_id' | 'policy_name' | 'policy_version' | 'tenant_id' | 'project_id' | 'workload_name'
> & { cluster_id: string; vmid: number; on_move: 'remove' | 'keep' };

const ownedRows = (owned: readonly OwnedWorkload[]): SQL =>
  sql`(select unnest(${pgArray(
    'uuid',
    owned.map(({ workload_id }) => workload_id),
  )}) as workload_id, unnest(${pgArray(
    'uuid',
    owned.map(({ tenant_id }) => tenant_id),
  )}) as tenant_id, unnest(${pgArray(
    'uuid',
    owned.map(({ project_id }) => project_id),
  )}) as project_id)`;

/** No project: what belongs to none is not of the policy's. */
const NOWHERE = '00000000-0000-0000-0000-000000000000';

/**
 * What remains on these workloads of policies that may not act on them because they belong to another tenant or
 * project than the given ones: what is recorded as applied, and rules with a marker of this installation when last
 * read, such as those of clones. One query.
 * @param policyId this policy only
 */
export async function findLeftBehind(
  executor: Executor,
  instance: string,
  owned: readonly OwnedWorkload[],
  policyId: string | null = null,
): Promise<LeftBehind[]> {
  if (owned.length === 0) return [];
  const rows = await executor.execute<LeftBehind>(sql`
    with here as materialized (${ownedRows(owned)}),
    found as (
      select a.workload_id, a.policy_id, a.policy_version from ${policyPlacements} as a join here using (workload_id)
      union
      select s.workload_id, m[2]::uuid, m[3]::int
      from ${guestFirewallSnapshots} as s join here using (workload_id)
      cross join lateral jsonb_array_elements(case jsonb_typeof(s.state -> 'rules') when 'array' then s.state -> 'rules'
        else '[]' end) as r
      cross join lateral regexp_match(r ->> 'comment',
        '^[[]fabric i=([A-Za-z0-9_-]{1,36}) p=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) v=([1-9][0-9]{0,8}) ') as m
      where m[1] = ${instance})
    select distinct on (f.workload_id, f.policy_id) f.workload_id, f.policy_id, f.policy_version,
      coalesce(o.name, d.policy_name) as policy_name, t.id as tenant_id,
      case when o.id is null then d.project_id else o.project_id end as project_id, w.name as workload_name, w.cluster_id, w.vmid,
      coalesce(t.on_move, 'remove') as on_move
    from found as f
    join here on here.workload_id = f.workload_id
    join ${workloads} as w on w.id = f.workload_id
    left join ${policies} as o on o.id = f.policy_id
    left join lateral (select policy_name, tenant_id, project_id from ${deployments} where o.id is null and policy_id = f.policy_id
      and kind <> 'removal' order by created_at desc limit 1) as d on true
    left join ${tenants} as t on t.id = coalesce(o.tenant_id, d.tenant_id)
    where coalesce(o.tenant_id, d.tenant_id) is not null
      and (coalesce(o.tenant_id, d.tenant_id) is distinct from here.tenant_id
        or (case when o.id is null then d.project_id else o.project_id end) <> coalesce(here.project_id, ${NOWHERE}::uuid))
      and ${policyId === null ? sql`true` : sql`f.policy_id = ${policyId}::uuid`}
    order by f.workload_id, f.policy_id, f.policy_version desc`);
  return [...rows];
}

type NewResidual = Omit<LeftBehind, 'on_move'> & { mode: ResidualRow['mode'] };

/** Notes what was left. What is noted already and is to be removed now is removed; nothing goes back to being kept. */
export async function saveResidualRules(tx: Tx, rows: readonly NewResidual[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 1_000) {
    await tx
      .insert(residualRules)
      .values(rows.slice(from, from + 1_000).map(({ cluster_id: _, vmid: __, ...row }) => row))
      .onConflictDoUpdate({
        target: [residualRules.workload_id, residualRules.policy_id],
        set: {
          tenant_id: sql`excluded.tenant_id`,
          project_id: sql`excluded.project_id`,
          mode: sql`case when excluded.mode = 'remove' then 'remove' else ${residualRules.mode} end`,
        },
      });
  }
}

/** Forgets what is no residue any more, because the workload came back to the tenant or project of the policy. */
export async function deleteReturnedResiduals(tx: Tx, owned: readonly OwnedWorkload[]): Promise<void> {
  await tx.execute(sql`
    delete from ${residualRules} as r using ${ownedRows(owned)} as here
    where r.workload_id = here.workload_id and r.tenant_id = here.tenant_id
      and (r.project_id is null or r.project_id = here.project_id)`);
}

export async function isResidual(executor: Executor, policyId: string, workloadId: string): Promise<boolean> {
  const where = and(eq(residualRules.policy_id, policyId), eq(residualRules.workload_id, workloadId));
  return (await executor.$count(residualRules, where)) > 0;
}

/** Deletes the note, when it is proven that nothing is left. Null: it was not noted. */
export async function deleteResidual(tx: Tx, policyId: string, workloadId: string): Promise<ResidualRow | null> {
  const [row] = await tx
    .delete(residualRules)
    .where(and(eq(residualRules.policy_id, policyId), eq(residualRules.workload_id, workloadId)))
    .returning();
  return row ?? null;
}

/** What was left on one workload visible to the caller, oldest first. */
export async function listResidualRules(reach: Reach, workloadId: string): Promise<ResidualRow[]> {
  const rows = await db
    .select({ row: residualRules })
    .from(residualRules)
    .innerJoin(workloads, eq(workloads.id, residualRules.workload_id))
    .where(and(eq(residualRules.workload_id, workloadId), workloadInReach(reach)))
    .orderBy(asc(residualRules.since), asc(residualRules.id));
  return rows.map(({ row }) => row);
}

/** What is to be removed on some workloads, or (null) everywhere where it is due and no worker has it. */
export async function listDueRemovals(
  executor: Executor,
  workloadIds: readonly string[] | null = null,
): Promise<Omit<LeftBehind, 'on_move'>[]> {
  const due = sql`r.mode = 'remove'
    and (r.attempted_at is null or r.attempted_at > now() + interval '15 minutes'
      or r.attempted_at < now() - least(interval '15 minutes', interval '1 minute' * (2 ^ least(r.attempts, 4))))
    and not exists (select 1 from deployments as d join deployment_guests as g on g.deployment_id = d.id
      where d.kind = 'removal' and d.status in ('queued', 'running') and d.policy_id = r.policy_id
        and g.workload_id = r.workload_id and g.status in ('queued', 'running'))`;
  const rows = await executor.execute<Omit<LeftBehind, 'on_move'>>(sql`
    select r.workload_id, r.policy_id, r.policy_name, r.policy_version, r.tenant_id, r.project_id, w.name as workload_name, w.cluster_id, w.vmid
    from ${residualRules} as r join ${workloads} as w on w.id = r.workload_id
    where ${workloadIds === null ? due : sql`r.workload_id = any (${pgArray('uuid', workloadIds)})`}
    order by r.since, r.id limit 2000`);
  return [...rows];
}

/** What was kept is to be removed. */
export async function setRemoval(tx: Tx, workloadId: string): Promise<void> {
  await tx
    .update(residualRules)
    .set({ mode: 'remove', attempts: 0, attempted_at: null })
    .where(eq(residualRules.workload_id, workloadId));
}

/** Notes that a removal ended and left something: what the workload said, or the deployment as a whole. */
export async function recordFailedRemovals(
  tx: Tx,
  deploymentId: string,
  policyId: string,
  problem: DeploymentProblem | null,
  at: string,
): Promise<void> {
  await tx.execute(sql`
    update ${residualRules} as r set attempts = r.attempts + 1, attempted_at = ${at}::timestamptz,
      problem = coalesce(g.problems -> 0, ${problem && JSON.stringify(problem)}::jsonb)
    from deployment_guests as g
    where g.deployment_id = ${deploymentId}::uuid and g.workload_id = r.workload_id and r.policy_id = ${policyId}::uuid`);
}

/** A workload with what was left on it, as the tenant of the policy or the one of the workload may know it. */
export type ResidualMatter = {
  workload_id: string;
  workload_name: string;
  /** The workload is visible to the caller; otherwise it moved away, and only the policies are. */
  owned: boolean;
  /** It moved between projects of one tenant, which knows both sides. */
  within_tenant: boolean;
  policies: number;
  mode: 'remove' | 'keep';
  since: string;
};

/** What is left that is visible to the caller: on its workloads, and of its policies. One query. */
export async function listResidualSummaries(reach: TenantReach): Promise<ResidualMatter[]> {
  const of = (column: SQL) => (reach === 'all' ? sql`true` : sql`${column} = any (${pgArray('uuid', reach)})`);
  const rows = await db.execute<ResidualMatter>(sql`
    select r.workload_id, owned, case when owned then w.name else min(r.workload_name) end as workload_name,
      within_tenant, count(*)::int as policies, min(r.mode) as mode,
      to_char(min(r.since) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
    from ${residualRules} as r
    join ${workloads} as w on w.id = r.workload_id
    left join ${projects} as p on p.id = w.project_id
    cross join lateral (select coalesce(${of(sql`p.tenant_id`)}, false) as owned,
      coalesce(p.tenant_id = r.tenant_id, false) as within_tenant) as o
    where owned or coalesce(${of(sql`r.tenant_id`)}, false)
    group by r.workload_id, w.name, owned, within_tenant order by 7, 1, within_tenant`);
  return [...rows];
}

/** Of these workloads, those that a policy of this owner may act on. */
export async function listOwnedBy(
  executor: Executor,
  owner: Owned,
  workloadIds: readonly string[],
): Promise<Set<string>> {
  if (getOwnerId(owner) === null || workloadIds.length === 0) return new Set(workloadIds);
  const rows = await executor
    .select({ id: workloads.id })
    .from(workloads)
    .where(and(inArray(workloads.id, [...workloadIds]), buildActsOnCondition(owner)));
  return new Set(rows.map(({ id }) => id));
}

/** The workload's name, tenant and project; null when it is gone. */
export async function findOwner(
  executor: Executor,
  workloadId: string,
): Promise<(Owned & { workload_name: string }) | null> {
  const [row] = await executor
    .select({ workload_name: workloads.name, tenant_id: projects.tenant_id, project_id: workloads.project_id })
    .from(workloads)
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(eq(workloads.id, workloadId));
  return row ?? null;
}

/** The workload keeps its owner until the transaction ends. */
export async function lockWorkloadForShare(tx: Tx, workloadId: string): Promise<void> {
  await tx.execute(sql`select 1 from ${workloads} where id = ${workloadId}::uuid for share`);
}

/** The workloads of a tenant; they keep their owner until the transaction ends. */
export async function lockTenantWorkloadsForShare(tx: Tx, tenantId: string): Promise<OwnedWorkload[]> {
  const rows = await tx
    .select({ workload_id: workloads.id, project_id: workloads.project_id })
    .from(workloads)
    .where(workloadInReach([tenantId]))
    .orderBy(workloads.id)
    .for('share');
  return rows.map((row) => ({ ...row, tenant_id: tenantId }));
}

/** The policy belongs to another project of its tenant now, or to the tenant. */
export async function setResidualProject(tx: Tx, policyId: string, projectId: string | null): Promise<void> {
  await tx.update(residualRules).set({ project_id: projectId }).where(eq(residualRules.policy_id, policyId));
}

/** Whether residual rules of these workloads are being removed, or are about to be. */
export async function areRemovalsOpen(executor: Executor, workloadIds: readonly string[]): Promise<boolean> {
  const [row] = await executor.execute<{ open: boolean }>(sql`
    select exists (select 1 from deployments as d join deployment_guests as g on g.deployment_id = d.id
      where d.kind = 'removal' and d.status in ('queued', 'running') and g.workload_id = any (${pgArray('uuid', workloadIds)})) as open`);
  return row?.open === true;
}
