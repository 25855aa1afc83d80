'use client';
import { KeyRound } from 'lucide-react';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { askPasskey, passkeyFailure } from '../shared/second-factor/webauthn';
import { type Challenge, LockTimer, StepOver, useSecondStep } from './second-step';
import { formatWait, signInProblem } from './sign-in-problem';

type Props = {
  challenge: Challenge;
  onBack: () => void;
  /** To the form for codes; null: no code is accepted. */
  onCode: (() => void) | null;
};

/** A passkey as the second step of signing in. The browser asks for it only after a button press. */
export function PasskeyForm({ challenge: { challenge_token }, onBack, onCode }: Props) {
  const t = useT();
  const { answer, wait, over } = useSecondStep<void>({
    send: async () => {
      const { session } = browserSession();
      try {
        const passkey = await askPasskey(await session.requestPasskey(challenge_token));
        await session.answerChallenge(challenge_token, { passkey });
      } catch (error) {
        throw signInProblem(t, passkeyFailure(t, error));
      }
    },
  });
  const failure = answer.error?.failure;
  return (
    <>
      <h1 className="text-lg">{t('Use your passkey')}</h1>
      {over ? (
        <StepOver onBack={onBack} />
      ) : (
        <div className="flex flex-col gap-4">
          {failure && (
            <Notice tone="danger" live title={failure.title}>
              {failure.detail}
            </Notice>
          )}
          <p className="text-pretty text-muted">
            {t('Confirm with the fingerprint, face, PIN or security key that you set up.')}
          </p>
          <Button
            variant="primary"
            icon={<KeyRound size={14} />}
            pending={answer.isPending}
            onClick={() => answer.mutate()}
            disabledReason={wait > 0 && t('Locked for another {time}', { time: formatWait(wait) })}
            autoFocus
          >
            {t('Use passkey')}
          </Button>
          <div className="flex flex-wrap items-center justify-end gap-2">
            <div className="mr-auto min-w-0">
              <LockTimer wait={wait}>
                {onCode && (
                  <div className="-ml-3">
                    <Button variant="ghost" onClick={onCode}>
                      {t('Enter a code instead')}
                    </Button>
                  </div>
                )}
              </LockTimer>
            </div>
            <Button onClick={onBack}>{t('Back')}</Button>
          </div>
        </div>
      )}
    </>
  );
}
