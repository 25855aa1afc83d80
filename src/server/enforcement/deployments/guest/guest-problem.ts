import type { DeploymentProblem } from '@/domain/deployments';
import { ProviderError } from '../../../providers/hypervisor/errors';

/** A guest cannot be brought to what is wanted, for a reason that can be shown. */
export class GuestProblem extends Error {
  constructor(
    readonly problem: DeploymentProblem,
    /** Nothing was to be done here, as opposed to something that failed. */
    readonly skipped = false,
  ) {
    super(problem.message);
  }
}

/** What went wrong in words that may be stored and shown. */
export function problemOf(error: unknown): DeploymentProblem {
  if (error instanceof GuestProblem) return error.problem;
  if (error instanceof ProviderError) {
    return { code: error.code, message: error.message.slice(0, 500), remedy: error.remedy.slice(0, 500) };
  }
  return {
    code: 'internal',
    message: 'It stopped with an unexpected error.',
    remedy: 'The log of the worker has the details; the id of the deployment finds them.',
  };
}
