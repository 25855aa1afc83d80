import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import { ROLLBACK_PROBLEMS } from '@/domain/change/rollout';
import type { DeploymentProblem } from '@/domain/deployments';
import type { Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { groupBy } from '../../../lib/group-by';
import {
  type AssignableWorkload,
  lockProject,
  lockWorkloads,
  setWorkloadProject,
} from '../../../tenancy/queries/projects';
import { recordMoves } from '../../deployments/removal/record-moves';
import { toMoveItem } from '../draft/normalize-move';
import { assertNoRollout, type WithinChange } from './guard';
import type { Acting } from './store-items';

type MoveItem = Extract<ChangeItem, { kind: 'move' }>;
type Former = MoveItem['workloads'][number];

/** A problem of a rollback that leaves something as it is. */
export const createIncomplete = (message: string): DeploymentProblem => ({
  code: ROLLBACK_PROBLEMS.incomplete,
  message,
  remedy: 'Check it, and change it manually if necessary.',
});

const lockMoved = (tx: Tx, { workloads }: MoveItem) =>
  lockWorkloads(
    tx,
    'all',
    workloads.map(({ id }) => id),
  );

const findTarget = (tx: Tx, id: string | null) => (id === null ? null : lockProject(tx, 'all', id, 'key share'));

/** Of workloads that still exist, what they were before. */
const formerById = ({ workloads }: MoveItem): ReadonlyMap<string, Former> =>
  new Map(workloads.map((workload) => [workload.id, workload]));

/**
 * Gives the workloads of an edit their new project.
 * @returns removals of what policies may not keep there, for `startDeployments` after the commit
 * @throws AppError `conflict` when someone else gave one of them another project since, another change is moving one, or the project
 * was deleted
 */
export async function storeMove(tx: Tx, by: Acting, item: MoveItem, within: WithinChange): Promise<string[]> {
  const target = await findTarget(tx, item.to?.id ?? null);
  if (item.to && !target) throw new AppError('conflict', `The project ${item.name} was deleted. Edit the change.`);
  const found = await lockMoved(tx, item);
  await assertNoRollout(tx, listObjectIds(item), within);
  const former = formerById(item);
  const other = found.find(
    ({ id, project_id }) => project_id !== former.get(id)?.project_id && project_id !== target?.id,
  );
  if (other) {
    const message = `The workload ${other.name} got another project since the change was drafted. Edit the change.`;
    throw new AppError('conflict', message);
  }
  await setWorkloadProject(
    tx,
    found.map(({ id }) => id),
    target?.id ?? null,
  );
  return recordMoves(tx, by, 'workload.assigned', target, found, true);
}

/**
 * Gives the workloads of an edit the projects that they had before.
 * @returns what stays as it is, and removals to start
 */
export async function undoMove(
  tx: Tx,
  by: Acting,
  item: MoveItem,
): Promise<{ problems: DeploymentProblem[]; removals: string[] }> {
  const problems: DeploymentProblem[] = [];
  const removals: string[] = [];
  const former = formerById(item);
  const back: AssignableWorkload[] = [];
  for (const workload of await lockMoved(tx, item)) {
    const isHere = workload.project_id === (item.to?.id ?? null) && workload.project_assigned_by === 'hand';
    if (isHere) back.push(workload);
    else
      problems.push(
        createIncomplete(`${workload.name} got another project since the change was applied, and keeps it.`),
      );
  }
  const groups = groupBy(back, ({ id }) => JSON.stringify([former.get(id)?.project_id, former.get(id)?.assigned_by]));
  for (const list of groups.values()) {
    const { project_id = null, assigned_by = null } = former.get(list[0]?.id ?? '') ?? {};
    const target = await findTarget(tx, project_id);
    if (project_id !== null && !target) {
      problems.push(createIncomplete(`The former project of ${list.map(({ name }) => name).join(', ')} was deleted.`));
      continue;
    }
    const ids = list.map(({ id }) => id);
    await setWorkloadProject(tx, ids, project_id, assigned_by);
    removals.push(...(await recordMoves(tx, by, 'workload.assigned', target, list, true)));
  }
  return { problems, removals };
}

/** The edits that take a move back, from the projects that the workloads have now. */
export async function revertMove(tx: Tx, item: MoveItem): Promise<MoveItem[]> {
  const former = formerById(item);
  const here = (await lockMoved(tx, item)).filter(({ project_id }) => project_id === (item.to?.id ?? null));
  const moves: MoveItem[] = [];
  for (const [project_id, list] of groupBy(here, ({ id }) => former.get(id)?.project_id ?? null)) {
    const target = await findTarget(tx, project_id);
    const isPossible = (project_id === null || target) && project_id !== (item.to?.id ?? null);
    if (isPossible) moves.push(toMoveItem(target, list));
  }
  return moves;
}
