import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '@/server/lib/errors';
import { newId } from '@/server/lib/ids';
import { toProblem } from '@/server/rest/problem';

/** Answers an error as problem+json where no route handler does it. */
export function answerProblem(response: ServerResponse & { req: IncomingMessage }, error: AppError): void {
  const id = newId();
  const allow = error.extra?.allow;
  const body = JSON.stringify(toProblem(error, id));
  response.writeHead(error.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
    ...(Array.isArray(allow) && { allow: allow.join(', ') }),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
