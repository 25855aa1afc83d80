import type { Session } from './session';

type Init = Omit<RequestInit, 'body' | 'headers'> & {
  /** Text only: the request may have to be sent a second time. */
  body?: string | null;
  headers?: HeadersInit;
};

/**
 * `fetch` with the session's access token. A 401 is answered by one refresh (shared with every other request that fails
 * at the same time) and one retry; when that is refused as well, the session is over.
 */
export function makeAuthFetch(
  session: Pick<Session, 'token' | 'renew' | 'expire'>,
  send: (url: string, init: RequestInit) => Promise<Response>,
) {
  return async function authFetch(url: string, init: Init = {}): Promise<Response> {
    const attempt = (token: string | null) => {
      const headers = new Headers(init.headers);
      if (token) headers.set('authorization', `Bearer ${token}`);
      return send(url, { credentials: 'same-origin', ...init, headers });
    };
    const used = session.token;
    const first = await attempt(used);
    if (first.status !== 401) return first;
    const fresh = await session.renew(used);
    if (fresh === null || fresh === used) return first;
    await first.body?.cancel();
    const second = await attempt(fresh);
    if (second.status === 401) session.expire(fresh);
    return second;
  };
}

export type AuthFetch = ReturnType<typeof makeAuthFetch>;
