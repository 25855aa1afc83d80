import { tierProblem } from '@/domain/policy/tier';
import { AppError } from '../../lib/errors';

/** @throws AppError `refused` naming the field when a policy of this tenant cannot have this tier or visibility */
export function assertTier(tenantId: string | null, tiered: Parameters<typeof tierProblem>[1]): void {
  const problem = tierProblem(tenantId, tiered);
  if (problem) throw new AppError('refused', problem.message, { errors: [problem] });
}
