import { and, asc, eq, getTableColumns, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { Drift, type DriftListInput } from '@/domain/change/drift';
import { DRIFT_SORTS } from '@/domain/change/drift-kinds';
import type { Page } from '@/domain/list';
import { getReachableTenants, type Owned, type Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects } from '../../db/schema/access';
import { hypervisorEdits } from '../../db/schema/agents';
import { clusters } from '../../db/schema/clusters';
import { drifts } from '../../db/schema/drift';
import { policies, policyVersions } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { clock } from '../../lib/clock';
import { getMoment } from '../../lib/moment';
import { ownedInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';
import { isReadBefore } from './firewall-snapshots';

export type DriftRow = typeof drifts.$inferSelect;
/** What a difference is about, unique among the open ones. */
export type DriftKey = Pick<DriftRow, 'kind' | 'subject_key'>;
export type NewDrift = Pick<
  DriftRow,
  | 'id'
  | 'policy_id'
  | 'workload_id'
  | 'kind'
  | 'subject_key'
  | 'subject'
  | 'rule_id'
  | 'desired'
  | 'last_applied'
  | 'live'
  | 'live_hash'
  | 'unchanged_at'
  | 'changed_until'
>;
/** A drift as it is read, before what the reader may do with it is known. */
export type FoundDriftRow = Omit<Drift, 'actions'> & Owned & Pick<DriftRow, 'live_hash' | 'subject_key'>;

/** Accepted now: not expired, and what is live is still what was accepted. */
const isAccepted = (now: Date): SQL =>
  sql`(${drifts.accepted_until} > ${now.toISOString()} and ${drifts.accepted_hash} = ${drifts.live_hash})`;

const buildStatus = (now: Date) =>
  sql<Drift['status']>`case when ${drifts.resolved_at} is not null then 'resolved'
    when ${isAccepted(now)} then 'accepted' else 'open' end`;

/** Drift of a policy is visible to those who see both the policy and the workload. */
function buildVisibleCondition(reach: Reach): SQL | undefined {
  if (getReachableTenants(reach) === 'all') return undefined;
  const ofTenant = sql`(${policies.project_id} is null and ${policies.tenant_id} = ${projects.tenant_id})`;
  return and(workloadInReach(reach), or(ownedInReach(policies, reach), ofTenant));
}

function buildColumns(now: Date) {
  const whileAccepted = <T>(column: SQL | typeof drifts.accepted_by_name) =>
    sql<T | null>`case when ${drifts.resolved_at} is null and ${isAccepted(now)} then ${column} end`;
  return {
    ...selectColumns(Drift.omit({ actions: true }), drifts, {
      status: buildStatus(now),
      policy_name: policies.name,
      workload_name: workloads.name,
      vmid: workloads.vmid,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
      accepted_until: whileAccepted<string>(sql`to_json(${drifts.accepted_until}) #>> '{}'`),
      accepted_by: whileAccepted<string>(drifts.accepted_by_name),
      accepted_reason: whileAccepted<string>(sql`${drifts.accepted_reason}`),
    }),
    live_hash: drifts.live_hash,
    subject_key: drifts.subject_key,
    tenant_id: policies.tenant_id,
    project_id: policies.project_id,
  };
}

const select = (executor: Executor, now: Date) =>
  executor
    .select(buildColumns(now))
    .from(drifts)
    .innerJoin(policies, eq(policies.id, drifts.policy_id))
    .innerJoin(workloads, eq(workloads.id, drifts.workload_id))
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id));

/** Drift visible to the caller, page by page, newest first unless asked otherwise. Two queries. */
export function listDriftRows(reach: Reach, input: DriftListInput): Promise<Page<FoundDriftRow>> {
  const now = clock.now();
  const columns = buildColumns(now);
  const where = and(
    buildVisibleCondition(reach),
    ...buildConditions(input, drifts, {
      q: hasText(
        drifts.subject,
        policies.name,
        workloads.name,
        sql`${workloads.vmid}::text`,
        drifts.desired,
        drifts.live,
        hasName(workloads.cluster_id, clusters),
      ),
      status: (status) => sql`${columns.status} = ${status}`,
      cluster_id: (id) => eq(workloads.cluster_id, id),
    }),
  );
  const sorts = buildSortKeys(Drift, DRIFT_SORTS, {
    id: drifts.id,
    first_seen_at: drifts.first_seen_at,
    policy_name: policies.name,
    workload_name: workloads.name,
    kind: drifts.kind,
  });
  return queryPage<FoundDriftRow>(input, { sorts, sort: '-first_seen_at', id: drifts.id }, (paging) => ({
    rows: select(db, now)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db
      .select({ total: sql<number>`count(*)::int` })
      .from(drifts)
      .innerJoin(policies, eq(policies.id, drifts.policy_id))
      .innerJoin(workloads, eq(workloads.id, drifts.workload_id))
      .leftJoin(projects, eq(projects.id, workloads.project_id))
      .where(where)
      .then(([row]) => row?.total ?? 0),
  }));
}

/** Some drift visible to the caller. */
export async function findDriftRows(
  executor: Executor,
  reach: Reach,
  ids: readonly string[],
): Promise<FoundDriftRow[]> {
  if (ids.length === 0) return [];
  return select(executor, clock.now())
    .where(and(inArray(drifts.id, [...ids]), buildVisibleCondition(reach)))
    .orderBy(asc(drifts.id));
}

/** As `findDriftRows`: what is not resolved of any of the policies at any of the workloads. */
export async function findUnresolvedDrift(
  executor: Executor,
  reach: Reach,
  policyIds: readonly string[],
  workloadIds: readonly string[],
): Promise<FoundDriftRow[]> {
  if (policyIds.length === 0) return [];
  const there = and(inArray(drifts.policy_id, [...policyIds]), inArray(drifts.workload_id, [...workloadIds]));
  return select(executor, clock.now())
    .where(and(there, isNull(drifts.resolved_at), buildVisibleCondition(reach)))
    .orderBy(asc(drifts.id));
}

/** As `findDriftRows`, by policy: what is not resolved. Accepted differences are left out. */
export async function listOpenDrift(executor: Executor, policyIds: readonly string[]): Promise<FoundDriftRow[]> {
  if (policyIds.length === 0) return [];
  const now = clock.now();
  return select(executor, now)
    .where(and(inArray(drifts.policy_id, [...policyIds]), sql`${buildStatus(now)} = 'open'`))
    .orderBy(asc(drifts.first_seen_at), asc(drifts.id));
}

/** What was found and is not resolved, on the workloads of a cluster. */
export function listUnresolvedDrift(executor: Executor, clusterId: string): Promise<DriftRow[]> {
  return executor
    .select(getTableColumns(drifts))
    .from(drifts)
    .innerJoin(workloads, eq(workloads.id, drifts.workload_id))
    .where(and(eq(workloads.cluster_id, clusterId), isNull(drifts.resolved_at)));
}

/** Stores differences as seen at a time: new ones are added, those that are known get what is live now. */
export async function storeDrift(tx: Tx, rows: readonly NewDrift[], at: string): Promise<void> {
  for (let from = 0; from < rows.length; from += 1_000) {
    await tx
      .insert(drifts)
      .values(rows.slice(from, from + 1_000).map((row) => ({ ...row, first_seen_at: at, last_seen_at: at })))
      .onConflictDoUpdate({
        target: [drifts.policy_id, drifts.workload_id, drifts.kind, drifts.subject_key],
        targetWhere: isNull(drifts.resolved_at),
        set: {
          ...Object.fromEntries(
            (['unchanged_at', 'changed_until', 'changed_by', 'changed_at'] as const).map((column) => [
              column,
              sql`case when ${drifts.live_hash} = excluded.live_hash then ${drifts[column]} else excluded.${sql.identifier(column)} end`,
            ]),
          ),
          subject: sql`excluded.subject`,
          rule_id: sql`excluded.rule_id`,
          desired: sql`excluded.desired`,
          last_applied: sql`excluded.last_applied`,
          live: sql`excluded.live`,
          live_hash: sql`excluded.live_hash`,
          last_seen_at: sql`excluded.last_seen_at`,
        },
        setWhere: isReadBefore(drifts.last_seen_at, sql`excluded.last_seen_at`),
      });
  }
}

/** The log has whole seconds. */
const LOG_PRECISION = sql`interval '1 second'`;

/**
 * Notes who edited what differs in a cluster, where an access log says so: of those who did between the read without and the read with
 * the difference, the last. Edits reported later are found at the next read.
 * @param ownUser the service itself, whose writes are no drift
 */
export async function attributeDrift(tx: Tx, clusterId: string, ownUser: string | null): Promise<void> {
  const object = sql`case when ${drifts.kind} <> 'switch_changed' or ${drifts.subject_key} = 'guest' then 'guest_firewall'
    when ${drifts.subject_key} = 'cluster' then 'cluster_firewall' else 'guest_config' end`;
  await tx.execute(sql`with found as (
      select distinct on (${drifts.id}) ${drifts.id} as id, ${hypervisorEdits.user_name} as user_name, ${hypervisorEdits.at} as at
      from ${drifts} join ${workloads} on ${workloads.id} = ${drifts.workload_id}
      join ${hypervisorEdits} on ${hypervisorEdits.cluster_id} = ${workloads.cluster_id} and ${hypervisorEdits.object} = ${object}
        and ${hypervisorEdits.vmid} = case ${hypervisorEdits.object} when 'cluster_firewall' then 0 else ${workloads.vmid} end
        and ${hypervisorEdits.user_name} is distinct from ${ownUser}
        and ${hypervisorEdits.at} > ${drifts.unchanged_at} - ${LOG_PRECISION} and ${hypervisorEdits.at} <= ${drifts.changed_until}
      where ${workloads.cluster_id} = ${clusterId} and ${drifts.resolved_at} is null and ${drifts.changed_by} is null
      order by ${drifts.id}, ${hypervisorEdits.at} desc, ${hypervisorEdits.user_name})
    update ${drifts} set changed_by = found.user_name, changed_at = found.at from found where ${drifts.id} = found.id`);
}

/** Notes that these are gone, unless they were seen later. */
export async function resolveDrift(tx: Tx, ids: readonly string[], at: string): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(drifts)
    .set({ resolved_at: at })
    .where(
      and(
        inArray(drifts.id, [...ids]),
        isNull(drifts.resolved_at),
        isReadBefore(drifts.last_seen_at, sql`${at}::timestamptz`),
      ),
    );
}

type Acceptance = {
  accepted_until: string;
  accepted_reason: string;
  accepted_by: string | null;
  accepted_by_name: string;
};

/** Accepts what is live now. @returns the ids that were still unresolved */
export async function acceptDriftRows(tx: Tx, ids: readonly string[], acceptance: Acceptance): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .update(drifts)
    .set({ ...acceptance, accepted_hash: sql`${drifts.live_hash}` })
    .where(and(inArray(drifts.id, [...ids]), isNull(drifts.resolved_at)))
    .returning({ id: drifts.id });
  return rows.map(({ id }) => id);
}

export async function withdrawAcceptance(tx: Tx, id: string): Promise<void> {
  const none = { accepted_hash: null, accepted_until: null, accepted_reason: null, accepted_by: null };
  await tx
    .update(drifts)
    .set({ ...none, accepted_by_name: null })
    .where(eq(drifts.id, id));
}

/** Unresolved differences that someone accepted and whose acceptance has not ended. */
export async function listAcceptedDrift(
  executor: Executor,
): Promise<(DriftKey & { policy_id: string; workload_id: string; hash: string })[]> {
  return executor
    .select({
      policy_id: drifts.policy_id,
      workload_id: drifts.workload_id,
      kind: drifts.kind,
      subject_key: drifts.subject_key,
      hash: sql<string>`${drifts.accepted_hash}`,
    })
    .from(drifts)
    .where(and(isNull(drifts.resolved_at), gt(drifts.accepted_until, getMoment() ?? clock.now().toISOString())));
}

/** Changes whenever `listAcceptedDrift` does, also when time passes. */
export const acceptedStamp = (now: Date): SQL<string> =>
  sql`(select coalesce(md5(string_agg(concat_ws(' ', ${drifts.id}, ${drifts.accepted_hash}), ',' order by ${drifts.id})), '')
    from ${drifts} where ${drifts.resolved_at} is null and ${drifts.accepted_until} > ${now.toISOString()})`;

/** Rules of versions by position: `policy version position` to the rule's id. */
export async function listVersionRuleIds(
  executor: Executor,
  versions: readonly { policy_id: string; policy_version: number }[],
): Promise<Map<string, string>> {
  if (versions.length === 0) return new Map();
  const rows = await executor
    .select({
      policy_id: policyVersions.policy_id,
      version: policyVersions.version,
      rules: sql<{ id: string; position: number }[]>`${policyVersions.snapshot} -> 'rules'`,
    })
    .from(policyVersions)
    .where(
      or(
        ...versions.map(({ policy_id, policy_version }) =>
          and(eq(policyVersions.policy_id, policy_id), eq(policyVersions.version, policy_version)),
        ),
      ),
    );
  return new Map(
    rows.flatMap(({ policy_id, version, rules }) =>
      rules.map(({ id, position }) => [`${policy_id} ${version} ${position}`, id] as const),
    ),
  );
}
