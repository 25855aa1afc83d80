import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { WorkloadCoverage, WorkloadCoverageListInput } from '@/domain/coverage';
import type { VerdictConflicts } from '@/domain/dashboard/dashboard';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db } from '../../../db/client';
import { buildConditions, hasName, hasText, skipCondition } from '../../../db/declared-fields';
import { keyOrder } from '../../../db/natural-order';
import { pgArray } from '../../../db/pg-array';
import { queryPage, type SortKeys } from '../../../db/query-page';
import { clusters, nodeAgents } from '../../../db/schema/clusters';
import { coverageMarks, ruleHits, workloadCoverage } from '../../../db/schema/coverage';
import { workloadOwners } from '../../../db/schema/moves';
import { workloads } from '../../../db/schema/workloads';
import { dayInProject, workloadInReach } from '../../../tenancy/queries/tenant-reach';
import type { HitPlace, RuleHitSums, TrafficDay } from '../coverage-rows';
import type { RuleHits } from '../flow-store';
import { addHits, findCoverageMark, findGuestMarks, lockCoverageMark, readCountedFlows } from './coverage-sums';
import { inIdList } from './visible-rows';

/** Every place in the history of a policy at which a rule was hit. One query. */
async function listHitLocations(policyId: string): Promise<HitPlace[]> {
  const rows = await db.execute<HitPlace>(sql`
    select distinct policy_version, rule_position from ${ruleHits}
    where policy_id = ${policyId}::uuid and rule_position is not null`);
  return [...rows];
}

/**
 * Hits of a policy's rules at some guests: `hits` from a day on, `last_hit_at` as far as anything is kept. One query.
 */
async function sumRuleHits({
  policy_id: policyId,
  from,
  visible,
  rules,
  reach,
}: Parameters<RuleHits['ofPolicy']>[0]): Promise<RuleHitSums[]> {
  const since = dayInProject(sql`h.day`, reach);
  const rows = await db.execute<RuleHitSums>(sql`
    with place as (
      select * from unnest(${pgArray(
        'int',
        rules.map((rule) => rule.policy_version),
      )}, ${pgArray(
        'int',
        rules.map((rule) => rule.rule_position),
      )}, ${pgArray(
        'uuid',
        rules.map((rule) => rule.rule_id),
      )}) as p(policy_version, rule_position, rule_id)),
    found as (
      select place.rule_id, h.day, h.workload_id, h.mode, h.hits, h.last_hit_at, h.day >= ${from}::date as counted
      from ${ruleHits} as h left join place using (policy_version, rule_position)
      where h.policy_id = ${policyId}::uuid and ${visible === 'all' ? sql`true` : inIdList(sql.raw('h.workload_id'), visible)}
        and ${since ? sql`exists (select 1 from ${workloads} where ${workloads.id} = h.workload_id and ${since})` : sql`true`}),
    days as (
      select rule_id, jsonb_object_agg(day::text, hits) as by_day from (
        select rule_id, day, sum(hits) as hits from found where counted group by 1, 2) as d
      group by 1)
    select f.rule_id, coalesce(sum(f.hits) filter (where counted and mode = 'enforced'), 0)::float8 as hits,
      coalesce(sum(f.hits) filter (where counted and mode = 'audit'), 0)::float8 as audit_hits,
      to_char(max(f.last_hit_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_hit_at,
      (count(distinct f.workload_id) filter (where counted))::int as guests_hit,
      coalesce((select by_day from days where days.rule_id is not distinct from f.rule_id), '{}') as by_day
    from found as f group by f.rule_id`);
  return [...rows];
}

const COUNTS = ['flows', 'by_policy', 'by_other_rule', 'by_audit', 'by_default', 'observed', 'conflicts'] as const;

const summed = (name: (typeof COUNTS)[number]): SQL<number> => sql`coalesce(c.${sql.raw(name)}, 0)::float8`;

const SHARE = sql<number | null>`case when c.flows > 0 then ((c.by_policy + c.by_other_rule) / c.flows)::float8 end`;

const SORTS: SortKeys = {
  workload_name: keyOrder(workloads.sort_name, 'workload_name'),
  flows: { column: summed('flows'), type: 'number' },
  covered_share: { column: SHARE, type: 'number', nullable: true },
};

/** Whether a day of coverage is visible: of a workload that came from another tenant, those after the one on which it came. */
const isOwnDay = (reach: Reach): SQL =>
  reach === 'all'
    ? sql`true`
    : sql`(workload_id, day) not in (select o.workload_id, d.day from ${workloadOwners} as o
        join ${workloadCoverage} as d on d.workload_id = o.workload_id
        where o.to_at is null and o.from_at is not null and d.day <= (o.from_at at time zone 'UTC')::date)`;

type CountedWorkload = Omit<WorkloadCoverage, 'evidence_score'>;

/** Visible workloads with what their flows match, from a day on. Two queries. */
async function listWorkloadCoverage(
  reach: Reach,
  from: string,
  input: WorkloadCoverageListInput,
): Promise<Page<CountedWorkload>> {
  const conditions = [
    workloadInReach(reach),
    sql`not ${workloads.template}`,
    ...buildConditions(input, workloads, {
      q: hasText(workloads.name, sql`${workloads.vmid}::text`, hasName(workloads.cluster_id, clusters)),
      workload_id: (id) => eq(workloads.id, id),
      days: skipCondition,
      tenant_id: skipCondition,
    }),
  ];
  const sums = sql.raw(COUNTS.map((name) => `sum(${name}) as ${name}`).join(', '));
  const list = { sorts: SORTS, sort: 'covered_share', id: workloads.id };
  const page = await queryPage<Omit<CountedWorkload, 'workload_id'> & { id: string }>(input, list, (paging) => ({
    rows: db
      .select({
        id: workloads.id,
        workload_name: workloads.name,
        vmid: workloads.vmid,
        cluster_id: workloads.cluster_id,
        cluster_name: clusters.name,
        flows: summed('flows'),
        by_policy: summed('by_policy'),
        by_other_rule: summed('by_other_rule'),
        by_audit: summed('by_audit'),
        by_default: summed('by_default'),
        observed: summed('observed'),
        conflicts: summed('conflicts'),
        covered_share: SHARE,
        last_flow_at: sql<string | null>`to_char(c.last_flow_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
        looked_since: sql<string | null>`case when ${nodeAgents.status} in ('ok', 'degraded') then
          to_char(${coverageMarks.since} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`,
      })
      .from(workloads)
      .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
      .leftJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id))
      .leftJoin(coverageMarks, eq(coverageMarks.node_id, workloads.node_id))
      .leftJoin(
        sql`(select workload_id, ${sums}, max(last_flow_at) as last_flow_at from ${workloadCoverage}
          where day >= ${from}::date and ${isOwnDay(reach)} group by workload_id) as c`,
        sql`c.workload_id = ${workloads.id}`,
      )
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(workloads, and(...conditions)),
  }));
  return { ...page, items: page.items.map(({ id, ...row }) => ({ workload_id: id, ...row })) };
}

/** The days on which workloads had traffic, as long as coverage is kept. One query. */
async function listTrafficDays(workloadIds: readonly string[]): Promise<TrafficDay[]> {
  const { workload_id, day, last_flow_at } = workloadCoverage;
  return db
    .select({ workload_id, day, last_flow_at })
    .from(workloadCoverage)
    .where(inIdList(sql`${workload_id}`, workloadIds));
}

type Row = VerdictConflicts['most'][number] & { all_workloads: number; all_flows: number };

/**
 * Conversations since a day (UTC date) for which the firewall's log contradicts the rules of a visible workload, with
 * the workloads that have most of them. One query.
 */
async function sumVerdictConflicts(
  reach: Reach,
  since: string,
  limit: number,
): Promise<Omit<VerdictConflicts, 'since'>> {
  const rows = await db.execute<Row>(sql`
    select ${workloads.id} as workload_id, ${workloads.name} as workload_name,
      sum(${workloadCoverage.conflicts})::float8 as flows, count(*) over ()::int as all_workloads,
      (sum(sum(${workloadCoverage.conflicts})) over ())::float8 as all_flows
    from ${workloadCoverage} join ${workloads} on ${eq(workloads.id, workloadCoverage.workload_id)}
    where ${workloadCoverage.day} >= ${since}::date and ${workloadCoverage.conflicts} > 0
      and ${workloadInReach(reach) ?? sql`true`} and ${isOwnDay(reach)}
      and ${dayInProject(sql`${workloadCoverage.day}`, reach) ?? sql`true`}
    group by ${workloads.id}, ${workloads.name} order by 3 desc, 1 limit ${limit}`);
  return {
    flows: rows[0]?.all_flows ?? 0,
    workloads: rows[0]?.all_workloads ?? 0,
    most: rows.map(({ workload_id, workload_name, flows }) => ({ workload_id, workload_name, flows })),
  };
}

export const hits: RuleHits = {
  lockMark: lockCoverageMark,
  findMark: findCoverageMark,
  uncounted: (tx, span) => readCountedFlows(tx, span),
  add: addHits,
  marksOfWorkloads: findGuestMarks,
  places: listHitLocations,
  ofPolicy: sumRuleHits,
  byWorkload: listWorkloadCoverage,
  daysOfWorkloads: listTrafficDays,
  conflicts: sumVerdictConflicts,
};
