'use client';
import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SetupStatus } from '@/domain/setup';
import { browserSession, useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { rest } from '@/lib/rest';
import { Spinner } from '@/ui/loading';

/** Restores the session once and returns its state. */
export function useStartSession() {
  const state = useSession();
  useEffect(() => {
    void browserSession().session.start();
  }, []);
  return { state, retry: () => void browserSession().session.start() };
}

/** Whether the first administrator exists. Public, and asked afresh each time: it changes once for ever. */
export const setupStatusQuery = queryOptions({
  queryKey: ['setup-status'],
  queryFn: ({ signal }) => rest<SetupStatus>('/setup/status', { open: true, signal }),
  staleTime: 0,
});

/** While the session is restored. The spinner fades in late, so that a quick start shows nothing that flickers. */
export function StartScreen({ inFrame = false }: { inFrame?: boolean }) {
  const t = useT();
  return (
    <div
      className={`flex items-center justify-center text-muted transition-opacity delay-300 duration-300 starting:opacity-0 ${inFrame ? 'min-h-48' : 'min-h-dvh'}`}
    >
      <Spinner label={t('Restoring your session')} size={20} />
    </div>
  );
}
