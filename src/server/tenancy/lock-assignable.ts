import type { Scope } from '../auth/scope';
import type { Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { type AssignableWorkload, lockWorkloads } from './queries/projects';

/**
 * Workloads to assign, locked. @param field where the request names them
 * @throws AppError `not_found` naming the workloads that are not visible to the caller
 */
export async function lockAssignable(
  tx: Tx,
  scope: Scope<'workload:write'>,
  ids: readonly string[],
  field = 'workload_ids',
): Promise<AssignableWorkload[]> {
  const found = await lockWorkloads(tx, scope.reach, ids);
  if (found.length === ids.length) return found;
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  throw new AppError('not_found', `Workloads not found: ${missing.length} of ${ids.length}.`, {
    errors: missing
      .slice(0, 20)
      .map((id) => ({ field: `${field}.${ids.indexOf(id)}`, message: 'Workload not found.' })),
  });
}
