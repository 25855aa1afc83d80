'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { SecondFactorCode, type SecondFactorNeeded } from '@/domain/second-factor';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { useCountdown } from '../shared/use-timers';
import { formatWait, type SignInProblem, signInProblem } from './sign-in-problem';

const CodeInput = z.object({ code: SecondFactorCode });
type CodeInput = z.output<typeof CodeInput>;
/** What the first step left; without a token the browser holds it as a cookie. */
export type Challenge = {
  challenge_token: string | null;
  methods: SecondFactorNeeded['second_factor']['methods'];
};
type Props = { challenge: Challenge; onBack: () => void };

/** The second step of signing in: a code of the app, or a recovery code. */
export function CodeForm({ challenge, onBack }: Props) {
  const t = useT();
  const form = useCheckedForm<CodeInput, unknown, CodeInput>({
    defaultValues: { code: '' },
    resolver: domainResolver(CodeInput, (values) => values),
  });
  const [waitUntil, setWaitUntil] = useState<number | null>(null);
  const wait = useCountdown(waitUntil);
  const answer = useMutation<void, SignInProblem, CodeInput>({
    mutationFn: ({ code }) =>
      browserSession()
        .session.answerChallenge(challenge.challenge_token, code)
        .catch((error: unknown) => Promise.reject(signInProblem(t, toFailure(error)))),
    onError: (problem) => {
      setWaitUntil(problem.wait === null ? null : Date.now() + problem.wait * 1000);
      form.resetField('code');
      form.setFocus('code');
    },
  });
  const over = answer.error?.failure.extra?.reason === 'challenge_over';
  return (
    <>
      <h1 className="text-lg">{t('Enter a code')}</h1>
      {over ? (
        <Notice
          tone="warn"
          live
          title={t('Sign in again')}
          action={
            <Button size="sm" onClick={onBack}>
              {t('Back to sign-in')}
            </Button>
          }
        >
          {t('Too much time has passed since the first step.')}
        </Notice>
      ) : (
        <FormShell
          form={form}
          onSubmit={(values) => answer.mutate(values)}
          error={answer.error?.failure ?? null}
          pending={answer.isPending}
          submitLabel={t('Continue')}
          disabledReason={wait > 0 ? t('Locked for another {time}', { time: formatWait(wait) }) : null}
          onCancel={onBack}
          cancelLabel={t('Back')}
          aside={
            wait > 0 && (
              <p role="timer" className="text-muted">
                {t.rich('Try again in {time}', { time: <span className="mono">{formatWait(wait)}</span> })}
              </p>
            )
          }
        >
          <TextField
            control={form.control}
            name="code"
            label={t('Code')}
            autoComplete="one-time-code"
            mono
            maxLength={40}
            autoFocus
            description={
              challenge.methods.includes('recovery_code')
                ? t('Six-digit code from your authenticator app, or a recovery code.')
                : t('Six-digit code from your authenticator app. No recovery codes are left.')
            }
          />
        </FormShell>
      )}
    </>
  );
}
