import { STAMPED } from '@/server/auth/origin';
import { handleRequest } from '@/server/rest/handle-request';
import { routes } from '@/server/rest/routes';

type Init = Omit<RequestInit, 'body' | 'headers'> & {
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
  /** Source address, as our HTTP entry would stamp it. */
  from?: string;
};

/**
 * Calls the real REST handler without a socket in between. `path` is below `/api/v1`.
 * A method is taken from the body when none is given.
 */
export async function call(path: string, { from, body, ...init }: Init = {}): Promise<Response> {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const headers = new Headers(init.headers);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  if (from !== undefined) {
    Reflect.set(globalThis, STAMPED, true);
    headers.set('x-fabric-peer', from);
    if (!headers.has('x-fabric-forwarded')) headers.set('x-fabric-forwarded', 'no');
  }
  const request = new Request(`http://fabric.test/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...init,
    headers,
    body: raw ? (body as BodyInit | undefined) : JSON.stringify(body),
  });
  return handleRequest(routes, request);
}

/** The same with headers of who calls. @returns status and content; null where there is none */
export async function callJson<T>(
  path: string,
  headers: Record<string, string>,
  init: Pick<Init, 'method' | 'body'> = {},
): Promise<{ status: number; body: T }> {
  const response = await call(path, { headers, ...init });
  return { status: response.status, body: (response.status === 204 ? null : await response.json()) as T };
}
