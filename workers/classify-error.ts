import { AppError, type ErrorCode } from '@/server/lib/errors';

/** Trying again can help only where something outside may have changed meanwhile. */
const TEMPORARY = new Set<ErrorCode>(['internal', 'upstream', 'upstream_timeout', 'unavailable', 'too_many_requests']);

/**
 * What a failed job tells: whether another try makes sense, and a reason that can be shown. An error that is not an
 * `AppError` may hold anything, so its text stays in the log.
 */
export function classifyError(error: unknown): { retry: boolean; reason: string } {
  if (error instanceof AppError) return { retry: TEMPORARY.has(error.code), reason: error.message };
  return { retry: true, reason: 'Unexpected error; the log of the worker has the details' };
}
