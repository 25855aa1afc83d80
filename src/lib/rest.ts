import { browserSession } from './browser-session';
import { failureFromBody, RestError, unexpectedResponse, unreachable } from './problem';

type Options = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
  /** Public calls go without a token and never renew the session. */
  open?: boolean;
};

/**
 * One call of the REST API, for what has no procedure (sign-in, setup, checks). `path` starts below `/api/v1`.
 * @throws RestError
 */
export async function rest<T>(
  path: `/${string}`,
  { method = 'GET', body, signal, open = false }: Options = {},
): Promise<T> {
  const send = open ? (url: string, init: RequestInit) => window.fetch(url, init) : browserSession().authFetch;
  let response: Response;
  let text: string;
  try {
    response = await send(`/api/v1${path}`, {
      method,
      cache: 'no-store',
      signal,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    text = await response.text();
  } catch (cause) {
    if (cause instanceof RestError || signal?.aborted) throw cause;
    throw new RestError(unreachable(), { cause });
  }
  const foreign = () => new RestError(unexpectedResponse(response.status, response.headers.get('x-request-id')));
  let json: unknown;
  try {
    json = text === '' ? undefined : JSON.parse(text);
  } catch {
    throw foreign();
  }
  if (response.ok) return json as T;
  const failure = failureFromBody(json, response.headers.get('retry-after'));
  throw failure ? new RestError({ ...failure, status: response.status }) : foreign();
}
