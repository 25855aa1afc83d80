import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { MAX_BATCH_CALLS } from '@/domain/heavy-operations';
import { withRequestDatabase } from '../admission/admission';
import { getRequestOrigin } from '../auth/origin';
import { AppError } from '../lib/errors';
import { toAppError } from '../rest/problem';
import { assertBodySize, readBytes } from '../rest/read-body';
import type { AppRouter } from './root';
import { createContext, errorData } from './trpc';

/** No page of Fabric sends more; a larger body is a mistake or an attack. */
const MAX_BODY_BYTES = 1024 * 1024;

/** JSON-RPC's number for an invalid request, which is how tRPC numbers its errors. */
const INVALID_REQUEST = -32600;

/** The request with its body read and bounded, so that tRPC never reads an endless one. */
async function limitBody(request: Request): Promise<Request> {
  assertBodySize(request);
  if (request.method !== 'POST') return request;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || request.headers.has('content-encoding')) {
    throw new AppError('unsupported_media_type', 'Send the call as plain application/json.');
  }
  const body = new Uint8Array(await readBytes(request, MAX_BODY_BYTES));
  return new Request(request.url, { method: 'POST', headers: request.headers, body, signal: request.signal });
}

/** @throws AppError `method_not_allowed`; tRPC itself would answer with text, outside of its envelope */
function assertMethod({ method }: Request): void {
  if (['GET', 'HEAD', 'POST'].includes(method)) return;
  throw new AppError('method_not_allowed', 'Call queries with GET and mutations with POST.');
}

/** @throws AppError `malformed` for a batch of more calls than a page sends */
function assertBatchSize(request: Request): void {
  const calls = new URL(request.url).pathname.split(/,|%2c/i).length;
  if (calls <= MAX_BATCH_CALLS) return;
  throw new AppError(
    'malformed',
    `This batch has ${calls} calls; the maximum is ${MAX_BATCH_CALLS}. Send several batches.`,
  );
}

/** Answers one tRPC request, or a batch of a dozen calls at most. Failures have tRPC's own envelope, also those before any call. */
export async function handleTrpc(router: AppRouter, request: Request): Promise<Response> {
  const origin = getRequestOrigin(request);
  let response: Response;
  try {
    assertMethod(request);
    assertBatchSize(request);
    const req = await limitBody(request);
    const answer = () =>
      fetchRequestHandler({
        endpoint: '/api/trpc',
        req,
        router,
        createContext: () => createContext(request, origin),
        maxBatchSize: MAX_BATCH_CALLS,
        responseMeta: ({ errors }) => {
          const seconds = errors.flatMap(({ cause }) =>
            cause instanceof AppError ? (cause.retryAfterSeconds ?? []) : [],
          );
          return seconds.length > 0 ? { headers: { 'retry-after': String(Math.max(...seconds)) } } : {};
        },
      });
    response = await withRequestDatabase(request.method, answer);
  } catch (error) {
    const meaning = toAppError(error);
    const data = errorData(meaning, origin.request_id, undefined);
    response = Response.json(
      { error: { code: INVALID_REQUEST, message: meaning.message, data } },
      { status: meaning.status, headers: meaning.status === 405 ? { allow: 'GET, HEAD, POST' } : {} },
    );
  }
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-request-id', origin.request_id);
  return response;
}
