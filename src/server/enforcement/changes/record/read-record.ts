import type { ChangeItem } from '@/domain/change/items';
import type { ChangeRecord } from '@/domain/change/record';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { TenantReach } from '@/domain/permissions';
import { compareSnapshots } from '@/domain/policy/snapshot';
import { lastAuditRecord, listObjectRecords } from '../../../audit/queries/audit';
import type { Scope, Session } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { groupBy } from '../../../lib/group-by';
import { notFound } from '../../../lib/refusals';
import { readImpact } from '../../impact/read-impact';
import { listTestsAt } from '../../queries/change-checks';
import { listChangeDeployments, listChangeGuests, listChangeWorkloads } from '../../queries/change-rollouts';
import { listWaveWorkloads } from '../../queries/change-waves';
import { type ChangeRow, findChange } from '../../queries/changes';
import { readChange } from '../read-change';
import { selectItems } from '../rollout/store-items';

/** What the reader may see besides the change. @property audit null: nothing of the audit trail */
export type RecordReader = { readonly impact: ImpactReader; readonly audit: TenantReach | null };

const listDifferences = (items: readonly ChangeItem[]): ChangeRecord['differences'] =>
  selectItems(items, 'policy').flatMap(({ policy_id, name, before, after }) =>
    before ? [{ policy_id, name, ...compareSnapshots(before, after) }] : [],
  );

async function describeImpact({ impact_id, newly_blocked }: ChangeRow, reader: ImpactReader) {
  if (impact_id === null) return null;
  try {
    const { totals, finished_at } = await readImpact(reader, impact_id);
    return { id: impact_id, computed_at: finished_at, totals, newly_blocked };
  } catch (error) {
    // Not visible to this reader, or expired.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

async function listTests({ rollout }: ChangeRow, touched: readonly string[], reach: ImpactReader['tests']) {
  if (!rollout || reach === null) return [];
  const toResults = (list: readonly { id: string; result: string }[] | null) =>
    new Map((list ?? []).map(({ id, result }) => [id, result]));
  const [before, after] = [toResults(rollout.tests_before), toResults(rollout.tests_after)];
  return (await listTestsAt(db, reach, touched))
    .filter(({ id }) => before.has(id) || after.has(id))
    .map(({ id, name }) => ({ id, name, before: before.get(id) ?? null, after: after.get(id) ?? null }));
}

async function listResults(changeId: string, visible: ReadonlySet<string>): Promise<ChangeRecord['workloads']> {
  const [deployments, guests] = await Promise.all([
    listChangeDeployments(db, changeId),
    listChangeGuests(db, changeId),
  ]);
  const byId = new Map(deployments.map((deployment) => [deployment.id, deployment]));
  const seen = guests.filter(({ workload_id }) => visible.has(workload_id));
  return [...groupBy(seen, ({ workload_id }) => workload_id)].map(([workload_id, rows]) => ({
    workload_id,
    name: rows[0]?.name ?? '',
    vmid: rows[0]?.vmid ?? 0,
    results: rows.map(({ deployment_id, wave, policy_id, status, writes, switches, problems, notes, ...times }) => ({
      ...{ wave: wave ?? 0, policy_id, status, writes, switches, problems, notes },
      policy_name: byId.get(deployment_id)?.policy_name ?? '',
      policy_version: byId.get(deployment_id)?.policy_version ?? 0,
      started_at: times.started_at,
      finished_at: times.finished_at,
    })),
  }));
}

async function readTrail(changeId: string, tenants: TenantReach | null): Promise<ChangeRecord['audit']> {
  if (tenants === null) return null;
  const records = await listObjectRecords(tenants, 'change', changeId);
  return { records, head: tenants === 'all' ? await lastAuditRecord(db) : null };
}

/** A change with every decision and everything that it did, as far as the reader may see it. @throws AppError `not_found` */
export async function readChangeRecord(
  scope: Scope<'policy:read'>,
  session: Session,
  id: string,
  { impact, audit }: RecordReader,
): Promise<ChangeRecord> {
  const row = await findChange(db, scope.reach, id);
  if (!row) throw notFound('change');
  const [change, planned, shown] = await Promise.all([
    readChange(scope, session, id),
    listChangeWorkloads(db, id),
    listWaveWorkloads(db, scope.reach, id),
  ]);
  const touched = planned.map(({ workload_id }) => workload_id);
  const visible = new Set(scope.reach === 'all' ? touched : shown.map(({ workload_id }) => workload_id));
  return {
    change,
    differences: listDifferences(change.items),
    impact: change.impact_id === null ? null : await describeImpact(row, impact),
    tests: await listTests(row, touched, impact.tests),
    workloads: await listResults(id, visible),
    hidden_workloads: touched.length - visible.size,
    audit: await readTrail(id, audit),
    read_at: clock.now().toISOString(),
  };
}
