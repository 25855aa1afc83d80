import { AppError } from '../lib/errors';
import { ProviderError, type ProviderErrorCode } from '../providers/hypervisor/errors';
import { SyncProblem } from './sync-problem';

export type Failure = { code: string; message: string; remedy?: string };

/** What went wrong in words that may be stored and shown; an error of unknown kind tells nothing but where to look. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ProviderError || error instanceof SyncProblem) {
    return { code: error.code, message: error.message.slice(0, 500), remedy: error.remedy.slice(0, 500) };
  }
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return {
    code: 'internal',
    message: 'The sync stopped with an unexpected error.',
    remedy: 'The log of the worker has the details; the id of the run finds them.',
  };
}

/** Faults of the cluster or the access as a whole: asking for the next thing would meet them again. */
const FATAL = new Set<ProviderErrorCode>([
  'unreachable',
  'tls_untrusted',
  'tls_changed',
  'unauthorized',
  'target_refused',
]);

/** Whether the sync can go on with other things after this error. */
export function isLocal(error: unknown): error is ProviderError {
  return error instanceof ProviderError && !FATAL.has(error.code);
}
