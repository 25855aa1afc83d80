'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ForwardingTestResult } from '@/domain/forwarding/destination';
import { useT } from '@/lib/i18n/use-t';
import { type Failure, toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Notice } from '@/ui/notice';

type Tested = { id: string; name: string };
export type DestinationTest = {
  send: (destination: Tested) => void;
  pending: boolean;
  /** Of the last test. */
  result: { name: string; answer: ForwardingTestResult | null; failure: Failure | null } | null;
};

/** Sends a test record to one destination. */
export function useDestinationTest(): DestinationTest {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [tested, setTested] = useState<Tested | null>(null);
  const send = useMutation(
    trpc.forwarding.test.mutationOptions({
      onSettled: () => void queryClient.invalidateQueries(trpc.forwarding.pathFilter()),
    }),
  );
  return {
    send: (destination) => {
      setTested(destination);
      send.mutate({ id: destination.id });
    },
    pending: send.isPending,
    result: tested && {
      name: tested.name,
      answer: send.data ?? null,
      failure: send.error ? toFailure(send.error) : null,
    },
  };
}

/** How the last test of a destination went: received, sent without confirmation, or what failed, why and what to do. */
export function DestinationTestResult({ result, pending }: Pick<DestinationTest, 'result' | 'pending'>) {
  const t = useT();
  if (!result) return null;
  const { name, answer, failure } = result;
  if (pending) return <Notice live title={t('Sending test record to {name}…', { name })} />;
  const error = failure ? (failure.detail ?? failure.title) : answer?.error;
  if (error) {
    return (
      <Notice tone="danger" live title={t('Test of {name} failed', { name })}>
        {error}
      </Notice>
    );
  }
  if (answer?.is_confirmed === false) {
    return (
      <Notice live title={t('Test record sent to {name}', { name })}>
        {t('UDP confirms nothing: check in the log of the receiver whether the templates arrived.')}
      </Notice>
    );
  }
  return (
    <Notice tone="ok" live title={t('Test record received by {name}', { name })}>
      {t('Record {id}', { id: answer?.record_id ?? '' })}
    </Notice>
  );
}
