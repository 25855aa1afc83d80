import type { ChangeItem, ChangeItemInput } from '@/domain/change/items';
import { type Owned, toOwner } from '@/domain/permissions';
import { authorize } from '../../../auth/scope';
import { AppError } from '../../../lib/errors';
import { notFound, refuseField } from '../../../lib/refusals';
import { lockAssignable } from '../../../tenancy/lock-assignable';
import { type AssignableWorkload, lockProject, type ProjectRow } from '../../../tenancy/queries/projects';
import { readInstance } from '../../policies/policy-inputs';
import { findLeftBehind } from '../../queries/residual-rules';
import type { ItemContext, NormalItem } from './item-context';

type MoveItem = Extract<ChangeItem, { kind: 'move' }>;
type Target = Pick<ProjectRow, 'id' | 'name' | 'tenant_id'> | null;

const INSTALLATION: Owned = { tenant_id: null, project_id: null };

/** Whose a move is: the tenant's within which it is, otherwise the installation's. */
function findOwner(target: Target, workloads: readonly Owned[]): Owned {
  const [tenant_id = null, ...tenants] = new Set([...workloads, target ?? INSTALLATION].map((one) => one.tenant_id));
  if (tenants.length > 0) return INSTALLATION;
  const projects = new Set([...workloads.map(({ project_id }) => project_id), target?.id ?? null]);
  const [project_id = null] = projects;
  return { tenant_id, project_id: projects.size === 1 ? project_id : null };
}

/** The edit that gives workloads another project, from what they have now. */
export const toMoveItem = (target: Target, workloads: readonly AssignableWorkload[]): MoveItem => ({
  kind: 'move',
  name: target?.name ?? '',
  ...findOwner(target, workloads),
  base_version: null,
  to: target && { id: target.id, tenant_id: target.tenant_id },
  workloads: workloads.map(({ id, name, project_id, tenant_id, project_assigned_by }) => ({
    ...{ id, name, project_id, tenant_id },
    assigned_by: project_assigned_by,
  })),
});

/**
 * Workloads that get another project, without those that are assigned to it manually already. It concerns their tenants before and
 * after, and the owners of policies whose rules are removed.
 * @throws AppError `not_found`; `refused` when it changes nothing; `forbidden` between tenants, for users of a tenant
 */
export async function normalizeMove(
  { tx, scope, session }: ItemContext,
  at: number,
  { workload_ids, project_id }: Extract<ChangeItemInput, { kind: 'move' }>,
): Promise<NormalItem<'move'>> {
  const workloads = authorize(session, 'workload:write');
  const { reach } = workloads;
  const target = project_id === null ? null : await lockProject(tx, reach, project_id, 'key share');
  if (project_id !== null && !target) {
    throw notFound('project', [{ field: `items.${at}.project_id`, message: 'The project was not found.' }]);
  }
  const found = await lockAssignable(
    tx,
    authorize(session, 'workload:write'),
    workload_ids,
    `items.${at}.workload_ids`,
  );
  const moved = found.filter((one) => one.project_id !== project_id || one.project_assigned_by !== 'hand');
  if (moved.length === 0) {
    throw refuseField(`items.${at}.workload_ids`, 'All of these workloads are assigned to the project already.');
  }
  const item = toMoveItem(target, moved);
  if (item.tenant_id === null && (reach !== 'all' || scope.reach !== 'all')) {
    throw new AppError(
      'forbidden',
      'Only users with permissions for the whole installation can move workloads between tenants by a change.',
    );
  }
  const to = { tenant_id: target?.tenant_id ?? null, project_id };
  const left = await findLeftBehind(
    tx,
    await readInstance(tx),
    moved.map(({ id }) => ({ workload_id: id, ...to })),
  );
  return { item, owners: [item, to, ...moved, ...left].map(toOwner) };
}
