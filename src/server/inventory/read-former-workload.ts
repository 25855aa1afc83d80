import type { FormerWorkload } from '@/domain/former-workload';
import type { Scope } from '../auth/scope';
import { notFound } from '../lib/refusals';
import { listFormerPeriods } from './queries/former-workloads';

const MAX_PERIODS = 50;

/**
 * When a workload belonged to tenants within reach and what it was called then, also when it belongs to another one now: what
 * happened in that time stays theirs.
 * @throws AppError `not_found` for a workload that never was within reach, or never left it
 */
export async function readFormerWorkload(scope: Scope<'workload:read'>, id: string): Promise<FormerWorkload> {
  const periods = await listFormerPeriods(scope.tenants, id, MAX_PERIODS);
  const [last] = periods;
  if (!last) throw notFound('workload');
  return { workload_id: id, name: last.name, periods };
}
