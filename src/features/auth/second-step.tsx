'use client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { useCountdown } from '../shared/use-timers';
import { formatWait, type SignInProblem } from './sign-in-problem';

/** What the first step left; without a token the browser holds it as a cookie. */
export type Challenge = {
  challenge_token: string | null;
  methods: SecondFactorNeeded['second_factor']['methods'];
};

type Step<Input> = {
  /** @throws SignInProblem */
  send: (input: Input) => Promise<void>;
  onError?: () => void;
};

/** Sends the answer of a second step, and how long another try is useless after a refusal. */
export function useSecondStep<Input>({ send, onError }: Step<Input>) {
  const [waitUntil, setWaitUntil] = useState<number | null>(null);
  const wait = useCountdown(waitUntil);
  const answer = useMutation<void, SignInProblem, Input>({
    mutationFn: send,
    onError: (problem) => {
      setWaitUntil(problem.wait === null ? null : Date.now() + problem.wait * 1000);
      onError?.();
    },
  });
  return { answer, wait, over: answer.error?.failure.extra?.reason === 'challenge_over' };
}

/** In place of a second step that took too long. */
export function StepOver({ onBack }: { onBack: () => void }) {
  const t = useT();
  return (
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
  );
}

/** How long the form is locked, counting down. */
export function LockTimer({ wait, children }: { wait: number; children?: ReactNode }) {
  const t = useT();
  if (wait <= 0) return children;
  return (
    <p role="timer" className="text-muted">
      {t.rich('Try again in {time}', { time: <span className="mono">{formatWait(wait)}</span> })}
    </p>
  );
}
