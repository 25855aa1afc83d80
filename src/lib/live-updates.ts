'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { browserSession } from './browser-session';
import { followEvents } from './event-stream';
import { makeInvalidator, routersTouched } from './invalidator';

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

/** Follows the service's events while the component is mounted and marks as old what they touch. */
export function useLiveUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const invalidator = makeInvalidator((routers) => {
      if (routers === 'all') void queryClient.invalidateQueries();
      else for (const router of routers) void queryClient.invalidateQueries({ queryKey: [[router]] });
    });
    void followEvents(
      {
        open: (lastId, signal) =>
          browserSession().authFetch('/api/v1/events', {
            signal,
            cache: 'no-store',
            headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
          }),
        onEvent: (event) => invalidator.push(routersTouched(event)),
        onOpen: (again) => {
          setLive(true);
          if (again) invalidator.push('all');
        },
        onLost: () => setLive(false),
        wait: sleep,
      },
      stop.signal,
    ).finally(() => setLive(false));
    return () => {
      stop.abort();
      invalidator.stop();
    };
  }, [queryClient]);
}
