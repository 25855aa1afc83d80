'use client';
import { useState } from 'react';
import { z } from 'zod';
import { SecondFactorCode } from '@/domain/second-factor';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { PasskeyForm } from './passkey-form';
import { type Challenge, LockTimer, StepOver, useSecondStep } from './second-step';
import { formatWait, signInProblem } from './sign-in-problem';

const CodeInput = z.object({ code: SecondFactorCode });
type CodeInput = z.output<typeof CodeInput>;
type Props = { challenge: Challenge; onBack: () => void };

/** The second step of signing in: a passkey where there is one, else or on request a code. */
export function SecondStep({ challenge, onBack }: Props) {
  const t = useT();
  const hasPasskey = challenge.methods.includes('passkey');
  const hasCode = challenge.methods.some((method) => method !== 'passkey');
  const [asksCode, setAsksCode] = useState(!hasPasskey);
  if (!hasPasskey && !hasCode) {
    return (
      <Notice tone="danger" title={t('No second factor available')}>
        {t(
          'Your passkeys belong to another address, and no recovery codes are left. Ask an administrator for a reset.',
        )}
      </Notice>
    );
  }
  if (!asksCode) {
    return <PasskeyForm challenge={challenge} onBack={onBack} onCode={hasCode ? () => setAsksCode(true) : null} />;
  }
  return <CodeForm challenge={challenge} onBack={onBack} onPasskey={hasPasskey ? () => setAsksCode(false) : null} />;
}

/** A code of the app, or a recovery code. */
function CodeForm({ challenge, onBack, onPasskey }: Props & { onPasskey: (() => void) | null }) {
  const t = useT();
  const form = useCheckedForm<CodeInput, unknown, CodeInput>({
    defaultValues: { code: '' },
    resolver: domainResolver(CodeInput, (values) => values),
  });
  const { answer, wait, over } = useSecondStep<CodeInput>({
    send: ({ code }) =>
      browserSession()
        .session.answerChallenge(challenge.challenge_token, { code })
        .catch((error: unknown) => Promise.reject(signInProblem(t, toFailure(error)))),
    onError: () => {
      form.resetField('code');
      form.setFocus('code');
    },
  });
  const recovery = challenge.methods.includes('recovery_code');
  return (
    <>
      <h1 className="text-lg">{t('Enter a code')}</h1>
      {over ? (
        <StepOver onBack={onBack} />
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
            <LockTimer wait={wait}>
              {onPasskey && (
                <div className="-ml-3">
                  <Button variant="ghost" onClick={onPasskey}>
                    {t('Use a passkey instead')}
                  </Button>
                </div>
              )}
            </LockTimer>
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
              !challenge.methods.includes('totp')
                ? t('One of your recovery codes.')
                : recovery
                  ? t('Six-digit code from your authenticator app, or a recovery code.')
                  : t('Six-digit code from your authenticator app. No recovery codes are left.')
            }
          />
        </FormShell>
      )}
    </>
  );
}
