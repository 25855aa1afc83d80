'use client';
import { useSyncExternalStore } from 'react';
import { type AuthFetch, makeAuthFetch } from './auth-fetch';
import { consumeEarlyAnswer } from './early-refresh';
import { Session, type SessionState } from './session';
import { browserTabLock } from './tab-lock';

type BrowserSession = { session: Session; authFetch: AuthFetch };

let made: BrowserSession | undefined;

/** The session of this tab. Made at first use, in the browser only: pages are rendered there. */
export function browserSession(): BrowserSession {
  if (made) return made;
  const send = (url: string, init: RequestInit) => window.fetch(url, init);
  const session = new Session({
    fetch: send,
    lock: browserTabLock(),
    channel: 'BroadcastChannel' in window ? new BroadcastChannel('fabric.session') : null,
    target: window,
    early: consumeEarlyAnswer,
  });
  made = { session, authFetch: makeAuthFetch(session, send) };
  return made;
}

const STARTING: SessionState = { status: 'starting' };

/** The state of the session; rerenders when it changes. */
export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => browserSession().session.subscribe(listener),
    () => browserSession().session.state,
    () => STARTING,
  );
}
