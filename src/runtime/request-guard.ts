import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@/server/lib/errors';
import { newId } from '@/server/lib/ids';
import { toProblem } from '@/server/rest/problem';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Headers by which Next's own browser code asks for parts of pages; to an address of the API they only do harm. */
export const PAGE_HEADERS = [
  'rsc',
  'next-action',
  'next-router-state-tree',
  'next-router-prefetch',
  'next-url',
  'x-nextjs-data',
];

/** The path and query of a request target; a client that speaks as to a proxy sends a whole URL. */
export function toOriginForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether the path belongs to the API, whose answers are never pages. */
export const isApiPath = (target: string): boolean => /^[/\\]+api(?![a-z0-9_-])/i.test(target);

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Why a request must not reach Next, which would answer it with a redirect, a page or an error of its own; null when it
 * may. Addresses of the API have exactly one spelling: no empty, dotted or encoded-slash segments.
 */
export function findRequestError(method: string, target: string): AppError | null {
  if (!METHODS.includes(method)) {
    return new AppError('method_not_allowed', `Use one of ${METHODS.join(', ')}.`, { extra: { allow: METHODS } });
  }
  const path = target.split(/[?#]/, 1)[0] ?? '';
  if (!path.startsWith('/') || !isDecodable(path)) {
    return new AppError('malformed', 'The path of the URL is not valid.');
  }
  if (!isApiPath(path)) return null;
  const segments = path.slice(1).split('/');
  const strange = segments.some((part) => part === '' || /[\\\0/]|^\.\.?$/.test(decodeURIComponent(part)));
  return strange ? new AppError('not_found', 'This path does not exist.') : null;
}

/** Answers an error as problem+json where no route handler does it. */
export function sendProblem(response: ServerResponse & { req: IncomingMessage }, error: AppError): void {
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
