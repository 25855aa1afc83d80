'use client';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { LoginInput } from '@/domain/auth';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { useCountdown } from '../shared/use-timers';
import { formatWait, type SignInProblem, signInProblem } from './sign-in-problem';

const loadLoginInput = () => import('@/domain/auth').then((module) => module.LoginInput);

type Props = {
  expired: boolean;
  /** The session ended because one of its refresh tokens was used twice. */
  reused: boolean;
  /** The password was right, and a code is asked for. */
  onChallenge: (challenge: SecondFactorNeeded['second_factor']) => void;
};

/** Email address and password. Signing in changes the session; where to go then is the page's matter. */
export function SignInForm({ expired, reused, onChallenge }: Props) {
  const t = useT();
  const form = useCheckedForm<LoginInput, unknown, LoginInput>({
    defaultValues: { email: '', password: '' },
    resolver: domainResolver(loadLoginInput, (values) => values),
  });
  const capsLock = useCapsLock();
  const [waitUntil, setWaitUntil] = useState<number | null>(null);
  const wait = useCountdown(waitUntil);
  const signIn = useMutation<SecondFactorNeeded['second_factor'] | null, SignInProblem, LoginInput>({
    mutationFn: ({ email, password }) =>
      browserSession()
        .session.signIn(email, password)
        .catch((error: unknown) => Promise.reject(signInProblem(t, toFailure(error)))),
    onSuccess: (challenge) => {
      if (challenge) onChallenge(challenge);
    },
    onError: (problem) => {
      setWaitUntil(problem.wait === null ? null : Date.now() + problem.wait * 1000);
      form.resetField('password');
      form.setFocus('password');
    },
  });
  return (
    <>
      {reused && (
        <Notice tone="danger" title={t('Session ended: refresh token reused')}>
          {t(
            'A token of your session was used twice, so Fabric ended the session. Someone may have copied it. Sign in, then check your sessions and change your password if you do not know the cause.',
          )}
        </Notice>
      )}
      {expired && !reused && !signIn.error && (
        <Notice tone="info" title={t('Your session has ended')}>
          {t('Sign in to return to this page. Unsaved changes are lost.')}
        </Notice>
      )}
      <FormShell
        form={form}
        onSubmit={(values) => signIn.mutate(values)}
        error={signIn.error?.failure ?? null}
        pending={signIn.isPending}
        submitLabel={t('Sign in')}
        disabledReason={wait > 0 ? t('Locked for another {time}', { time: formatWait(wait) }) : null}
        aside={
          wait > 0 && (
            <p role="timer" className="text-muted">
              {t.rich('Try again in {time}', { time: <span className="mono">{formatWait(wait)}</span> })}
            </p>
          )
        }
      >
        <TextField control={form.control} name="email" label={t('Email address')} autoComplete="username" autoFocus />
        <PasswordField
          control={form.control}
          name="password"
          label={t('Password')}
          autoComplete="current-password"
          description={<span role="status">{capsLock ? t('Caps Lock is on') : ''}</span>}
        />
      </FormShell>
    </>
  );
}

/** Whether Caps Lock was on at the last key press or click on this page. */
function useCapsLock(): boolean {
  const [on, setOn] = useState(false);
  useEffect(() => {
    const look = (event: KeyboardEvent | MouseEvent) => {
      // Password managers dispatch synthetic events without this method.
      if (typeof event.getModifierState === 'function') setOn(event.getModifierState('CapsLock'));
    };
    window.addEventListener('keydown', look);
    window.addEventListener('keyup', look);
    window.addEventListener('mousedown', look);
    return () => {
      window.removeEventListener('keydown', look);
      window.removeEventListener('keyup', look);
      window.removeEventListener('mousedown', look);
    };
  }, []);
  return on;
}
