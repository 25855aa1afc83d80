import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { KeptOfPolicy } from '@/domain/change/items';
import { RECERTIFICATION_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { OVERDUE_AFTER_DAYS, Recertification, type RecertificationListInput } from '@/domain/recertification';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, tenants, users } from '../../db/schema/access';
import { policies, recertifications } from '../../db/schema/policies';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { projectName } from '../../tenancy/queries/projects';
import { filterByTenant } from '../../tenancy/queries/tenant-reach';
import { policyInReach } from './policies';

/** Days after which policies of the installation have to be confirmed again; null: never. */
export type InstallationPeriod = number | null;

/** A value of the last confirmation of a policy. */
const lastOf = <T>(column: string) =>
  sql<T | null>`(select ${sql.raw(column)} from ${recertifications} as r where r.policy_id = ${sql`${policies.id}`}
    order by r.confirmed_at desc limit 1)`;
const confirmedAt = lastOf<string>('r.confirmed_at');

const time = (value: SQL) => sql<string>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

function buildColumns(installation: InstallationPeriod) {
  const period = sql<number>`(case when ${sql`${policies.tenant_id}`} is null then ${installation}::int
    else ${sql`${tenants.recertification_days}`} end)`;
  const due = sql`(coalesce(${confirmedAt}, ${sql`${policies.created_at}`}) + make_interval(days => ${period}))`;
  const now = sql`${clock.now().toISOString()}::timestamptz`;
  const status: SQL<Recertification['status']> = sql<
    Recertification['status']
  >`(case when ${due} > ${now} then 'not_due'
    when ${due} + make_interval(days => ${OVERDUE_AFTER_DAYS}) > ${now} then 'due' else 'overdue' end)`;
  const columns = selectColumns(Recertification, policies, {
    tenant_name: tenants.name,
    project_name: projectName(policies.project_id),
    policy_version: policies.version,
    status,
    period_days: period,
    due_at: time(due),
    confirmed_at: sql<string | null>`${time(confirmedAt)}`,
    confirmed_by: lastOf<string>('r.user_name'),
    confirmed_version: lastOf<number>('r.policy_version'),
    note: lastOf<string>('r.note'),
  });
  return { period, due, status, columns };
}

/** Policies that have to be confirmed and are visible to the caller, page by page. Two queries. */
export async function listRecertifications(
  reach: Reach,
  installation: InstallationPeriod,
  input: RecertificationListInput,
): Promise<Page<Recertification>> {
  const { period, status, columns } = buildColumns(installation);
  const where = [
    policyInReach(reach),
    sql`${period} is not null`,
    ...buildConditions(input, policies, {
      q: hasText(
        policies.name,
        policies.owner,
        policies.ticket,
        hasName(policies.tenant_id, tenants),
        hasName(policies.project_id, projects),
      ),
      status: (one) => sql`${status} = ${one}`,
      owner: (owner) => eq(policies.owner, owner === 'none' ? '' : owner),
      tenant_id: (id) => filterByTenant(policies.tenant_id, id),
    }),
  ];
  const list = {
    sorts: buildSortKeys(Recertification, RECERTIFICATION_SORTS, columns),
    sort: 'due_at',
    id: policies.id,
  };
  const counted = db
    .select({ id: policies.id })
    .from(policies)
    .leftJoin(tenants, eq(tenants.id, policies.tenant_id))
    .where(and(...where))
    .as('counted');
  return queryPage<Recertification>(input, list, (paging) => ({
    rows: db
      .select(columns)
      .from(policies)
      .leftJoin(tenants, eq(tenants.id, policies.tenant_id))
      .where(and(...where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(counted),
  }));
}

/** One policy that has to be confirmed; null: it has not, or is not visible. */
export async function findRecertification(
  executor: Executor,
  reach: Reach,
  installation: InstallationPeriod,
  id: string,
): Promise<Recertification | null> {
  const { period, columns } = buildColumns(installation);
  const [row] = await executor
    .select(columns)
    .from(policies)
    .leftJoin(tenants, eq(tenants.id, policies.tenant_id))
    .where(and(eq(policies.id, id), policyInReach(reach), sql`${period} is not null`));
  return row ?? null;
}

/** Every policy that is due or overdue. One query. */
export async function listDue(executor: Executor, installation: InstallationPeriod): Promise<Recertification[]> {
  const { period, status, columns } = buildColumns(installation);
  return executor
    .select(columns)
    .from(policies)
    .leftJoin(tenants, eq(tenants.id, policies.tenant_id))
    .where(and(sql`${period} is not null`, inArray(status, ['due', 'overdue'])))
    .orderBy(policies.id);
}

export async function insertRecertification(
  tx: Tx,
  row: Omit<typeof recertifications.$inferInsert, 'id'>,
): Promise<void> {
  await tx.insert(recertifications).values({ ...row, id: newId() });
}

/** Every confirmation of a policy. */
export const listConfirmations = (tx: Tx, policyId: string): Promise<KeptOfPolicy['confirmations']> =>
  tx
    .select({
      policy_version: recertifications.policy_version,
      confirmed_at: recertifications.confirmed_at,
      user_id: recertifications.user_id,
      user_name: recertifications.user_name,
      note: recertifications.note,
    })
    .from(recertifications)
    .where(eq(recertifications.policy_id, policyId))
    .orderBy(recertifications.confirmed_at);

/** Stores the confirmations of a policy that is created again; their users may be deleted by now. */
export async function insertConfirmations(
  tx: Tx,
  policy_id: string,
  rows: KeptOfPolicy['confirmations'],
): Promise<void> {
  if (rows.length === 0) return;
  const toUser = (id: string | null) => sql`(select ${users.id} from ${users} where ${users.id} = ${id}::uuid)`;
  await tx
    .insert(recertifications)
    .values(rows.map(({ user_id, ...row }) => ({ ...row, id: newId(), policy_id, user_id: toUser(user_id) })));
}
