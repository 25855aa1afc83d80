'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import type { CurrentUser } from '@/domain/auth';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { safeReturnPath } from '@/lib/safe-return-path';
import { AUTH_EXPIRED_EVENT } from '@/lib/session';
import { ErrorState } from '@/ui/error-state';
import { loadLater } from '@/ui/load-on-opening';
import { StartScreen, setupStatusQuery, useStartSession } from '../shared/session-start';

/** Few ever see it: it is loaded when it is needed. */
const EnrolScreen = loadLater(() => import('./enroll-screen').then((module) => module.EnrolScreen), <StartScreen />);

/**
 * Shows its content to signed-in users only. Everyone else is redirected to the sign-in page, which knows the way
 * back, or to the setup while there is no administrator. The server checks every request again; this is for
 * convenience.
 */
export function SessionGate({ children }: { children: (user: CurrentUser) => ReactNode }) {
  const router = useRouter();
  const { state, retry } = useStartSession();
  const signedOut = state.status === 'signed_out';
  const setup = useQuery({ ...setupStatusQuery, enabled: signedOut });

  const leave = useEffectEvent(() => {
    const { pathname, search, hash } = window.location;
    const next = safeReturnPath(`${pathname}${search}${hash}`) ?? undefined;
    router.replace(paths.login({ next: next === paths.home() ? undefined : next }));
  });
  useEffect(() => {
    const onExpired = () => leave();
    window.addEventListener(AUTH_EXPIRED_EVENT, onExpired);
    return () => window.removeEventListener(AUTH_EXPIRED_EVENT, onExpired);
  }, []);
  const completed = setup.data?.completed;
  useEffect(() => {
    if (!signedOut || completed === undefined) return;
    if (completed) leave();
    else router.replace(paths.setup());
  }, [signedOut, completed, router]);

  if (state.status === 'signed_in') {
    return state.user.must_enrol ? <EnrolScreen email={state.user.email} /> : children(state.user);
  }
  if (state.status === 'unreachable') {
    return <ErrorPage failure={state.failure} onRetry={retry} />;
  }
  if (setup.isError) {
    return <ErrorPage failure={toFailure(setup.error)} onRetry={() => void setup.refetch()} />;
  }
  return <StartScreen />;
}

function ErrorPage({ failure, onRetry }: { failure: ReturnType<typeof toFailure>; onRetry: () => void }) {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <ErrorState problem={failure} onRetry={onRetry} />
    </main>
  );
}
