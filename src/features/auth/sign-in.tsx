'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { safeReturnPath } from '@/lib/safe-return-path';
import { ErrorState } from '@/ui/error-state';
import { loadLater } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { StartScreen, setupStatusQuery, useStartSession } from '../shared/session-start';
import { ProviderButton } from './provider-button';
import { ProviderProblemNotice } from './provider-problem';
import type { Challenge } from './second-step';
import { SignInForm } from './sign-in-form';

/** The second step. */
const SecondStep = loadLater(() => import('./code-form').then((module) => module.SecondStep), <StartScreen inFrame />);

type Props = {
  next: string | null;
  /** Back from a sign-in provider, and a second factor is still needed, one of these: the browser holds the challenge as a cookie. */
  asks: Challenge['methods'] | null;
  /** Returned from a sign-in provider without being signed in. */
  problem: string | null;
  /** Signed out a moment ago: at the provider as well, or only here although the provider's session continues. */
  signedOut: 'provider' | 'here' | null;
};

/** The sign-in page. A user who is signed in already, in this or another tab, continues to `next`. */
export function SignIn({ next, asks, problem, signedOut }: Props) {
  const t = useT();
  const router = useRouter();
  const { state, retry } = useStartSession();
  const setup = useQuery(setupStatusQuery);
  const [challenge, setChallenge] = useState<Challenge | null>(asks && { challenge_token: null, methods: asks });
  const signedIn = state.status === 'signed_in';
  const target = safeReturnPath(next) ?? paths.home();
  useEffect(() => {
    if (signedIn) router.replace(target);
  }, [signedIn, target, router]);
  const needsSetup = setup.data?.completed === false && !signedIn;
  useEffect(() => {
    if (needsSetup) router.replace(paths.setup());
  }, [needsSetup, router]);

  if (state.status === 'unreachable') {
    return <ErrorState problem={state.failure} onRetry={retry} />;
  }
  if (state.status !== 'signed_out' || needsSetup) return <StartScreen inFrame />;
  if (challenge) return <SecondStep challenge={challenge} onBack={() => setChallenge(null)} />;
  return (
    <>
      <h1 className="text-lg">{t('Sign in')}</h1>
      {setup.data?.demo && (
        <Notice tone="warn" title={t('Demo installation')}>
          {t('All data in this installation is simulated. The account and its password were printed at startup.')}
        </Notice>
      )}
      {signedOut === 'provider' && (
        <Notice tone="ok" title={t('Signed out of Fabric')}>
          {t('Fabric also asked the sign-in provider to end its session.')}
        </Notice>
      )}
      {signedOut === 'here' && (
        <Notice tone="warn" title={t('Signed out of Fabric only')}>
          {t(
            'You are still signed in at the sign-in provider. Sign out there, or close the browser on a shared computer.',
          )}
        </Notice>
      )}
      {problem !== null && <ProviderProblemNotice problem={problem} />}
      <SignInForm expired={state.expired} reused={state.reused ?? false} onChallenge={setChallenge} />
      <ProviderButton next={next} />
    </>
  );
}
