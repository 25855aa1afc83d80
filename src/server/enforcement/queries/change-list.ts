import { and, eq, exists, inArray, isNotNull, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { type ChangeListInput, ChangeSummary, SHARED_TITLE } from '@/domain/change/change';
import { ROLLBACK_PROBLEMS } from '@/domain/change/rollout';
import { CHANGE_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import { db, type Executor } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { pgArray } from '../../db/pg-array';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import {
  changeObjects,
  changeOwners,
  changeReviews,
  changes,
  changeTransitions,
  changeWorkloads,
} from '../../db/schema/changes';
import { workloads } from '../../db/schema/workloads';
import { ownedInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';
import { changeInReach } from './changes';

const ENDED = ['confirmed', 'rolled_back', 'withdrawn'] as const;
const ofChange = eq(changeOwners.change_id, changes.id);

/** Whether all owners of a change are visible: otherwise its title may name those that are not. */
const isAllVisible = (reach: Reach): SQL => {
  const visible = ownedInReach(changeOwners, reach);
  return visible ? sql`not exists (select 1 from ${changeOwners} where ${ofChange} and not (${visible}))` : sql`true`;
};

/** The title, unless it may name owners that are not visible. */
export const changeTitle = (reach: Reach): SQL<string> =>
  sql<string>`case when ${isAllVisible(reach)} then ${sql`${changes.title}`} else ${SHARED_TITLE} end`;

/**
 * Who took a step of a change, unless it is someone who acts for an owner that is not visible. Known are the author, and those who may
 * act for the installation or a visible owner; for a query of `change_transitions` with its change.
 */
export function transitionActor(reach: Reach): SQL<string | null> {
  const visible = ownedInReach(changeOwners, reach) ?? sql`true`;
  const { actor_id, actor_name } = changeTransitions;
  return sql<string | null>`case when ${isAllVisible(reach)} or ${actor_id} is not distinct from ${changes.created_by}
    or exists (select 1 from ${changeReviews} where ${eq(changeReviews.change_id, changes.id)} and ${eq(changeReviews.actor_id, actor_id)}
      and (${isNull(changeReviews.tenant_ids)} or exists (select 1 from ${changeOwners}
        where ${ofChange} and ${visible} and ${changeOwners.tenant_id} = any (${changeReviews.tenant_ids}))))
    then ${actor_name} end`;
}

const columns = (reach: Reach) => {
  const all = isAllVisible(reach);
  const visible = ownedInReach(changeOwners, reach) ?? sql`true`;
  const { description } = changes;
  return selectColumns(ChangeSummary, changes, {
    title: changeTitle(reach),
    description: sql<string>`case when ${all} then ${sql`${description}`} else '' end`,
    tenants: sql<
      ChangeSummary['tenants']
    >`(select coalesce(json_agg(json_build_object('id', o.tenant_id, 'name', o.name)
      order by o.name nulls first), '[]'::json)
      from (select distinct ${sql`${changeOwners.tenant_id}`}, ${sql`${tenants.name}`} from ${changeOwners}
        left join ${tenants} on ${eq(tenants.id, changeOwners.tenant_id)} where ${and(ofChange, visible)}) as o)`,
    items_total: sql<number>`jsonb_array_length(${sql`${changes.items}`})`,
    paused: sql<boolean>`(${sql`${changes.state}`} = 'applying' and coalesce((${sql`${changes.rollout}`} ->> 'paused')::boolean, false))`,
    created_by: sql<ChangeSummary['created_by']>`json_build_object('id', ${sql`${changes.created_by}`},
      'name', ${sql`${changes.created_by_name}`})`,
  });
};

/** Changes with an item about the policy that is visible: the items of other owners do not count. */
function editsPolicy(reach: Reach, id: string): SQL | undefined {
  const touching = inArray(
    changes.id,
    db.select({ id: changeObjects.change_id }).from(changeObjects).where(eq(changeObjects.object_id, id)),
  );
  const reachable = getReachableTenants(reach);
  if (reachable === 'all') return touching;
  return and(
    touching,
    sql`exists (select 1 from jsonb_array_elements(${changes.items}) as item where item ->> 'policy_id' = ${id}
      and ((item ->> 'tenant_id')::uuid = any (${pgArray('uuid', reachable)})
        or (item ->> 'project_id')::uuid = any (${pgArray('uuid', getReachableProjects(reach))})))`,
  );
}

/** Changes that concern a visible workload: those that wrote to it or move it, and those in review that would filter it differently. */
function concernsWorkload(reach: Reach, id: string): SQL | undefined {
  const visible = db
    .select({ id: workloads.id })
    .from(workloads)
    .where(and(eq(workloads.id, id), workloadInReach(reach)));
  const written = db
    .select({ id: changeWorkloads.change_id })
    .from(changeWorkloads)
    .where(eq(changeWorkloads.workload_id, id));
  const moved = db.select({ id: changeObjects.change_id }).from(changeObjects).where(eq(changeObjects.object_id, id));
  const reviewed = sql`${changes.compiled} -> 'workloads' @> ${JSON.stringify([{ workload_id: id }])}::jsonb`;
  return and(
    exists(visible),
    or(
      inArray(changes.id, written),
      inArray(changes.id, moved),
      and(inArray(changes.state, ['in_review', 'approved']), reviewed),
    ),
  );
}

/** Changes visible to the caller, page by page, newest first. Two queries. */
export async function listChanges(reach: Reach, input: ChangeListInput): Promise<Page<ChangeSummary>> {
  const shown = columns(reach);
  const where = and(
    changeInReach(db, reach),
    ...buildConditions(input, changes, {
      q: hasText(shown.title, shown.description, changes.created_by_name),
      policy_id: (id) => editsPolicy(reach, id),
      workload_id: (id) => concernsWorkload(reach, id),
      timer: () => isNotNull(changes.confirm_until),
      status: (status) => (status === 'ended' ? inArray : notInArray)(changes.state, [...ENDED]),
    }),
  );
  const sorts = buildSortKeys(ChangeSummary, CHANGE_SORTS, shown);
  return queryPage<ChangeSummary>(input, { sorts, sort: '-created_at', id: changes.id }, (paging) => ({
    rows: db
      .select(shown)
      .from(changes)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(changes, where),
  }));
}

/** Visible changes that were applied without their approvals in the last day. */
export async function listForcedChanges(reach: Reach): Promise<ChangeSummary[]> {
  return db
    .select(columns(reach))
    .from(changes)
    .where(
      and(
        changeInReach(db, reach),
        isNotNull(changes.break_glass_reason),
        sql`${changes.applied_at} > now() - interval '1 day'`,
      ),
    );
}

const hasProblem = (code: string) => sql`${changes.problems} @> ${JSON.stringify([{ code }])}::jsonb`;

/** Visible changes whose rollback waits for a workload, or ended in the last day without returning everything. */
export async function listIncompleteRollbacks(reach: Reach): Promise<ChangeSummary[]> {
  return db
    .select(columns(reach))
    .from(changes)
    .where(
      and(
        changeInReach(db, reach),
        or(
          and(eq(changes.state, 'rolling_back'), hasProblem(ROLLBACK_PROBLEMS.waiting)),
          and(
            eq(changes.state, 'rolled_back'),
            hasProblem(ROLLBACK_PROBLEMS.incomplete),
            sql`${changes.finished_at} > now() - interval '1 day'`,
          ),
        ),
      ),
    );
}

/** One change visible to the caller as lists show it, or null. */
export async function findChangeSummary(executor: Executor, reach: Reach, id: string): Promise<ChangeSummary | null> {
  const [row] = await executor
    .select(columns(reach))
    .from(changes)
    .where(and(eq(changes.id, id), changeInReach(executor, reach)));
  return row ?? null;
}

/** All edits of a change visible to the caller, with its title as the caller sees it, or null. */
export async function findChangeEdits(executor: Executor, reach: Reach, id: string) {
  const [row] = await executor
    .select({ title: changeTitle(reach), items: changes.items })
    .from(changes)
    .where(and(eq(changes.id, id), changeInReach(executor, reach)));
  return row ?? null;
}

/** The change that reverts another one, unless it was withdrawn. */
export async function findReverting(executor: Executor, id: string): Promise<string | null> {
  const [row] = await executor
    .select({ id: changes.id })
    .from(changes)
    .where(and(eq(changes.reverts, id), notInArray(changes.state, ['withdrawn', 'rejected', 'rolled_back'])))
    .limit(1);
  return row?.id ?? null;
}
