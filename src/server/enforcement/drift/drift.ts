import type { Drift, DriftAcceptMany, DriftListInput, DriftReconcileMany } from '@/domain/change/drift';
import { ADOPTABLE_KINDS } from '@/domain/change/drift-kinds';
import type { ApplyPendingResult } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { groupBy } from '../../lib/group-by';
import { notFound, refuseField } from '../../lib/refusals';
import { requestEach } from '../deployments/request';
import { requestReconcile } from '../deployments/request-again';
import { loadPolicyInputs } from '../policies/policy-inputs';
import {
  acceptDriftRows,
  type FoundDriftRow,
  findDriftRows,
  listDriftRows,
  withdrawAcceptance,
} from '../queries/drifts';

/** Where the reader may write and apply policies; null: nowhere. */
export type DriftRights = { readonly write: Reach | null; readonly apply: Reach | null };

function toDrift(
  { live_hash: _, subject_key: _key, tenant_id, project_id, ...row }: FoundDriftRow,
  rights: DriftRights,
): Drift {
  const owner = { tenant_id, project_id };
  const mayApply = rights.apply !== null && isWithinReach(owner, rights.apply);
  const mayWrite = mayApply && rights.write !== null && isWithinReach(owner, rights.write);
  const isOpen = row.status !== 'resolved';
  return {
    ...row,
    actions: [
      ...(isOpen && mayApply ? (['reconcile'] as const) : []),
      ...(isOpen && mayWrite && ADOPTABLE_KINDS.includes(row.kind) ? (['adopt'] as const) : []),
      ...(isOpen && mayWrite ? (['accept'] as const) : []),
      ...(row.status === 'accepted' && mayWrite ? (['withdraw_acceptance'] as const) : []),
    ],
  };
}

/** Drift of visible policies at visible workloads, as last read; no cluster is contacted. */
export async function listDrift(
  { reach }: Scope<'policy:read'>,
  input: DriftListInput,
  rights: DriftRights,
): Promise<Page<Drift>> {
  const { items, ...page } = await listDriftRows(reach, input);
  return { ...page, items: items.map((row) => toDrift(row, rights)) };
}

/** @throws AppError `not_found` */
export async function readDrift({ reach }: Scope<'policy:read'>, id: string, rights: DriftRights): Promise<Drift> {
  const [row] = await findDriftRows(db, reach, [id]);
  if (!row) throw notFound('drift');
  return toDrift(row, rights);
}

/** Drift of policies that the caller may change. @throws AppError `not_found` when one of them is not */
async function findOwned(reach: Reach, ids: readonly string[]): Promise<FoundDriftRow[]> {
  const rows = (await findDriftRows(db, reach, ids)).filter((row) => isWithinReach(row, reach));
  if (rows.length < new Set(ids).size) throw notFound('drift');
  return rows;
}

/** As `findOwned`. @throws AppError `refused` when it is gone */
async function findUnresolved(reach: Reach, ids: readonly string[]): Promise<FoundDriftRow[]> {
  const rows = await findOwned(reach, ids);
  if (rows.some(({ status }) => status === 'resolved')) {
    throw new AppError('refused', 'This difference is gone: live and applied rules agree. Reload the list.');
  }
  return rows;
}

/**
 * Writes what the policies want to the workloads where they drifted, and to no others: one deployment for each policy and
 * cluster.
 * @throws AppError `not_found`, `refused`; a policy that cannot be applied is reported instead if there are several
 */
export async function reconcileDrift(
  scope: Scope<'policy:apply'>,
  { drift_ids }: DriftReconcileMany,
): Promise<ApplyPendingResult> {
  const byPolicy = groupBy(await findUnresolved(scope.reach, drift_ids), ({ policy_id }) => policy_id);
  const inputs = await loadPolicyInputs();
  const policies = [...byPolicy].map(([id, rows]) => ({ id, name: rows[0]?.policy_name ?? '' }));
  const request = (id: string) => {
    const places = byPolicy.get(id) ?? [];
    return requestReconcile(scope, id, inputs, [...new Set(places.map(({ workload_id }) => workload_id))]);
  };
  const [only] = policies;
  if (!only || policies.length > 1) return requestEach('Reconcile drift', policies, request);
  const { ids } = await request(only.id);
  return {
    change: null,
    operations: [{ policy_id: only.id, policy_name: only.name, deployment_ids: ids, message: null }],
  };
}

/** Accepting drift requires both permissions for the policy. */
export type DriftDeciders = { readonly write: Scope<'policy:write'>; readonly apply: Scope<'policy:apply'> };

/** Unresolved drift of policies that the caller may write and apply. @throws AppError `not_found`, `refused` */
export async function findDecidable({ write, apply }: DriftDeciders, ids: readonly string[]): Promise<FoundDriftRow[]> {
  const rows = await findUnresolved(write.reach, ids);
  if (rows.some((row) => !isWithinReach(row, apply.reach))) throw notFound('drift');
  return rows;
}

/**
 * Accepts what is live now, until a time: it does not affect the status of the policy until then, or until something else is live.
 * @throws AppError `not_found`, `refused`
 */
export async function acceptDrift(
  deciders: DriftDeciders,
  { drift_ids, until, reason }: DriftAcceptMany,
): Promise<{ accepted: number }> {
  const rows = await findDecidable(deciders, drift_ids);
  if (Date.parse(until) <= clock.now().getTime()) throw refuseField('until', 'A time in the future.');
  const { write: scope } = deciders;
  const { actor } = scope;
  const acceptance = {
    accepted_until: new Date(until).toISOString(),
    accepted_reason: reason,
    accepted_by: actor.kind === 'user' ? actor.id : null,
    accepted_by_name: actor.name,
  };
  return db.transaction(async (tx) => {
    const done = new Set(await acceptDriftRows(tx, drift_ids, acceptance));
    for (const row of rows) if (done.has(row.id)) await recordDecision(tx, scope, row, 'accepted', acceptance);
    return { accepted: done.size };
  });
}

/** Ends an acceptance before its time. @throws AppError `not_found`, `refused` */
export async function withdrawDriftAcceptance(deciders: DriftDeciders, id: string): Promise<void> {
  const [row] = await findDecidable(deciders, [id]);
  if (row?.status !== 'accepted') throw new AppError('refused', 'This difference is not accepted.');
  await db.transaction(async (tx) => {
    await withdrawAcceptance(tx, id);
    await recordDecision(tx, deciders.write, row, 'acceptance_withdrawn', {
      accepted_until: null,
      accepted_reason: null,
    });
  });
}

const recordDecision = (
  tx: Parameters<typeof recordAudit>[0],
  scope: Scope<'policy:write'>,
  row: FoundDriftRow,
  decision: 'accepted' | 'acceptance_withdrawn',
  { accepted_until, accepted_reason }: { accepted_until: string | null; accepted_reason: string | null },
) =>
  recordAudit(tx, scope, {
    action: `drift.${decision}`,
    object_kind: 'drift',
    object_id: row.id,
    object_name: `${row.policy_name}, ${row.workload_name} (${row.vmid}): ${row.subject}`,
    tenant_id: row.tenant_id,
    before: { accepted_until: row.accepted_until, accepted_reason: row.accepted_reason },
    after: {
      accepted_until,
      accepted_reason,
      live: row.live,
      policy_id: row.policy_id,
      workload_id: row.workload_id,
      project_id: row.project_id,
    },
  });
