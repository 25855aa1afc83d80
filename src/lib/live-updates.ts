'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { browserSession } from './browser-session';
import { followEvents, type ServerEvent } from './event-stream';
import { listAffectedRouters, makeInvalidator, refetchRouters } from './invalidator';

let live = false;
const listeners = new Set<() => void>();

function setLive(next: boolean) {
  if (live === next) return;
  live = next;
  for (const listener of listeners) listener();
}

/** Whether events arrive now. While they do not, pages that show progress ask from time to time. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => live,
    () => false,
  );
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      window.removeEventListener('online', done);
      resolve();
    }
    signal.addEventListener('abort', done);
    window.addEventListener('online', done);
  });

/** How often lists of the inventory are read again during a sync. */
const INVENTORY_MS = 4_000;

/** The dashboard looks at everything, so nearly every event touches it. */
const DASHBOARD_MS = 5_000;

/** A tab that is hidden for longer gives its connection back: a browser has six per HTTP/1.1 service, for all tabs. */
const HIDDEN_MS = 5_000;

/** Follows the service's events while the component is mounted and visible, and marks as old what they touch. */
function useLiveUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const invalidate = (routers: ReadonlySet<string> | 'all') => refetchRouters(queryClient, routers);
    const invalidator = makeInvalidator(invalidate);
    // A list may have many pages loaded, and all of them are read again.
    const inventory = makeInvalidator(invalidate, INVENTORY_MS);
    const dashboard = makeInvalidator(invalidate, DASHBOARD_MS);
    const push = (event: ServerEvent) => {
      const touched = listAffectedRouters(event);
      const lists = event.type === 'inventory.changed' ? inventory : invalidator;
      if (touched === 'all') return lists.push('all');
      lists.push(touched.filter((router) => router !== 'dashboard'));
      if (touched.includes('dashboard')) dashboard.push(['dashboard']);
    };
    let following: AbortController | null = null;
    let opened = false;
    let hiding: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      following?.abort();
      following = null;
      setLive(false);
    };
    const start = () => {
      const own = new AbortController();
      following = own;
      void followEvents(
        {
          open: (lastId, signal) =>
            browserSession().authFetch('/api/v1/events', {
              signal,
              cache: 'no-store',
              headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
            }),
          onEvent: push,
          onOpen: () => {
            setLive(true);
            // Events were missed while there was no listener.
            if (opened) invalidator.push('all');
            opened = true;
          },
          onLost: () => setLive(false),
          wait: sleep,
        },
        own.signal,
      ).finally(() => {
        if (following === own) stop();
      });
    };
    const followVisibility = () => {
      clearTimeout(hiding);
      if (document.visibilityState === 'hidden') hiding = setTimeout(stop, HIDDEN_MS);
      else if (!following) start();
    };
    followVisibility();
    document.addEventListener('visibilitychange', followVisibility);
    return () => {
      document.removeEventListener('visibilitychange', followVisibility);
      clearTimeout(hiding);
      stop();
      invalidator.stop();
      inventory.stop();
      dashboard.stop();
    };
  }, [queryClient]);
}

/** Keeps what is shown up to date while it is mounted. */
export function LiveUpdates() {
  useLiveUpdates();
  return null;
}
