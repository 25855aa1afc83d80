import { ZodError } from 'zod';
import { AppError, type ErrorCode, type FieldError, UpstreamError } from '../lib/errors';
import { conflictFromPg, isDatabaseDown, isStatementTimeout } from '../lib/pg-errors';

/** RFC 9457 body of every error this service sends. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  errors?: FieldError[];
  /** Seconds to wait; for callers that do not see the header, as in a batch. */
  retry_after?: number;
  request_id: string;
  [extension: string]: unknown;
};

export const PROBLEM_TITLES: Record<ErrorCode, string> = {
  malformed: 'Malformed request',
  unauthenticated: 'Not signed in',
  forbidden: 'Not permitted',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  version_conflict: 'Changed by another user',
  gone: 'Gone',
  too_large: 'Too large',
  unsupported_media_type: 'Unsupported media type',
  refused: 'Refused',
  too_many_requests: 'Too many requests',
  internal: 'Internal error',
  upstream: 'Hypervisor request failed',
  unavailable: 'Temporarily unavailable',
  upstream_timeout: 'Hypervisor timed out',
};

/** Rewrites zod's default message in plain English for schemas without a message of their own. */
function plainMessage(message: string): string {
  const [, expected, received] = /^Invalid input: expected (.+), received (.+)$/.exec(message) ?? [];
  if (!expected) return message;
  return received === 'undefined'
    ? `Missing. Send ${article(expected)}.`
    : `Send ${article(expected)}, not ${received}.`;
}

const article = (noun: string) => (/^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`);

/** Zod's issues as field errors: dotted path, message. Values are never repeated. */
export function fieldErrors(error: ZodError, prefix = ''): FieldError[] {
  return error.issues.slice(0, 50).flatMap((issue) => {
    const base = [prefix, ...issue.path.map(String)].filter(Boolean).join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, 20).map((key) => ({
        field: [base, key].filter(Boolean).join('.'),
        message: 'Unknown field. Remove it or check its spelling.',
      }));
    }
    return [{ field: base || 'body', message: plainMessage(issue.message) }];
  });
}

/** Converts any error to one that the caller may see. An unknown error becomes `internal` and reveals no internals. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) {
    return new AppError('malformed', 'The request has invalid or missing fields.', {
      cause: error,
      errors: fieldErrors(error),
    });
  }
  // Before the database: a refused connection to a cluster looks like one to PostgreSQL.
  if (error instanceof UpstreamError) {
    const text = `${error.message.replace(/[.]?$/, '.')} ${error.remedy}`;
    return new AppError(error.timedOut ? 'upstream_timeout' : 'upstream', text, { cause: error });
  }
  const conflict = conflictFromPg(error);
  if (conflict) return conflict;
  if (isStatementTimeout(error)) {
    return new AppError(
      'unavailable',
      'The database query timed out. Request less data: a shorter time range, a narrower filter, fewer rows.',
      { cause: error, extra: { reason: 'too_slow' } },
    );
  }
  if (isDatabaseDown(error)) {
    return new AppError('unavailable', 'The database is not available. Try again in a moment.', {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
  return new AppError('internal', 'Internal server error. Search the server log for the request ID.', {
    cause: error,
  });
}

export function toProblem(error: AppError, requestId: string): Problem {
  return {
    // First, so that no extra can replace what follows.
    ...error.extra,
    type: `urn:fabric:problem:${error.code.replaceAll('_', '-')}`,
    title: PROBLEM_TITLES[error.code],
    status: error.status,
    code: error.code,
    detail: error.message,
    ...(error.errors && { errors: error.errors }),
    ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
    request_id: requestId,
  };
}

export function problemResponse(error: AppError, requestId: string): Response {
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds));
  if (error.setCookie !== undefined) headers.set('set-cookie', error.setCookie);
  if (error.code === 'unauthenticated') headers.set('www-authenticate', 'Bearer realm="fabric"');
  return new Response(JSON.stringify(toProblem(error, requestId)), { status: error.status, headers });
}
