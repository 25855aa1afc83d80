import { TRPCClientError } from '@trpc/client';
import type { Problem } from '@/ui/error-state';
import { getPageTranslate } from './i18n/translator';

/** A failure as the server described it (RFC 9457), or as the browser noticed it. */
export type Failure = Problem & {
  /** Seconds to wait before another try, when the server said so. */
  retry_after?: number | undefined;
  /** Members beyond the standard ones, such as `policy_mode` or `fingerprint`. */
  extra?: Record<string, unknown>;
};

/** What `rest` throws: a failure with its description. */
export class RestError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail ?? failure.title, options);
    this.name = 'RestError';
    this.failure = failure;
  }
}

const KNOWN = new Set(['type', 'title', 'status', 'code', 'detail', 'errors', 'request_id', 'retry_after']);

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

function fieldProblems(value: unknown): Failure['errors'] {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { field, message } = item as Record<string, unknown>;
    return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : [];
  });
}

/** Reads a problem+json body; null when it is none. */
export function failureFromBody(body: unknown, retryAfter?: string | null): Failure | null {
  if (typeof body !== 'object' || body === null) return null;
  const record = body as Record<string, unknown>;
  const title = text(record.title);
  if (!title) return null;
  const seconds = Number(retryAfter ?? record.retry_after ?? Number.NaN);
  return {
    title,
    detail: text(record.detail),
    status: typeof record.status === 'number' ? record.status : undefined,
    code: text(record.code),
    request_id: text(record.request_id),
    errors: fieldProblems(record.errors),
    retry_after: Number.isFinite(seconds) ? seconds : undefined,
    extra: Object.fromEntries(Object.entries(record).filter(([key]) => !KNOWN.has(key))),
  };
}

/** The failure when no answer came at all: server stopped, network gone. */
export function unreachable(): Failure {
  const t = getPageTranslate();
  return {
    title: t('Cannot reach Fabric'),
    detail: t('Check your network connection and that Fabric is running. Nothing was lost; try again.'),
    code: 'unreachable',
  };
}

/** A response that Fabric did not produce, for example an HTML page of a reverse proxy. */
export function unexpectedResponse(status: number, requestId?: string | null): Failure {
  const t = getPageTranslate();
  return {
    title: status >= 500 ? t('Fabric is not available') : t('Unexpected response'),
    detail: t(
      'A device or proxy between the browser and Fabric answered with status {status}. Try again. If the error persists, check the reverse proxy.',
      { status },
    ),
    status,
    code: 'foreign_answer',
    request_id: requestId ?? undefined,
  };
}

/** Any thrown value as something that can be shown. */
export function toFailure(error: unknown): Failure {
  const t = getPageTranslate();
  if (error instanceof RestError) return error.failure;
  if (error instanceof TRPCClientError) {
    const data: unknown = error.data;
    const problem = typeof data === 'object' && data !== null ? (data as Record<string, unknown>).problem : null;
    const failure = failureFromBody(problem);
    if (failure) return failure;
    if (error.cause instanceof RestError) return error.cause.failure;
    const response: unknown = error.meta?.response;
    if (response instanceof Response) return unexpectedResponse(response.status, response.headers.get('x-request-id'));
    return unreachable();
  }
  // fetch rejects with a TypeError when nothing answers.
  if (error instanceof TypeError) return unreachable();
  return {
    title: t('Unexpected error on this page'),
    detail: t('Reload the page. If the error persists, report what you did to an administrator.'),
    code: 'client',
  };
}

/** Longest pause that a page takes by itself when the service names one (ms); the failure is shown after it. */
const MAX_PAUSE_MS = 15_000;

/** Delay before the next retry (ms): what the service asks for, or growing, with jitter to spread clients. */
export function retryDelay(attempt: number, { retry_after }: Failure): number {
  const pause =
    retry_after === undefined ? Math.min(500 * 2 ** attempt, 4_000) : Math.min(retry_after * 1000, MAX_PAUSE_MS);
  return pause * (retry_after === undefined ? 0.75 + Math.random() / 2 : 1 + Math.random() / 4);
}

/** Whether trying the same again can help: no answer, a server error, or too many requests. */
export function isTransient(failure: Failure): boolean {
  if (failure.code === 'unreachable' || failure.code === 'foreign_answer') return true;
  // The same would take as long once more, or is away for longer than anyone watches a page that loads.
  if (failure.extra?.reason === 'too_slow' || failure.extra?.reason === 'flow_storage') return false;
  return failure.status !== undefined && (failure.status >= 500 || failure.status === 429 || failure.status === 408);
}
