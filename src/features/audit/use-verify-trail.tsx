'use client';
import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { failureOf } from '@/lib/problem';
import { type RouterOutputs, useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Mono } from '@/ui/mono';
import { Notice } from '@/ui/notice';
import { verificationText } from './verification-words';

/** Computes the chain of hashes again; the page shows the outcome until it is asked for anew. */
export function useVerifyTrail() {
  const verify = useMutation(useTRPC().audit.verify.mutationOptions());
  return {
    button: (
      <Button icon={<ShieldCheck size={14} />} onClick={() => verify.mutate({})} pending={verify.isPending}>
        Verify trail
      </Button>
    ),
    outcome: verify.error ? (
      <Notice tone="danger" live title="The trail could not be verified">
        {failureOf(verify.error).detail ?? failureOf(verify.error).title}
      </Notice>
    ) : (
      verify.data && <Outcome {...verify.data} />
    ),
  };
}

function Outcome(verification: RouterOutputs['audit']['verify']) {
  const { tone, title, text } = verificationText(verification);
  const { last } = verification;
  return (
    <Notice tone={tone} live title={title}>
      <p>{text}</p>
      {last && (
        <p className="text-muted">
          Note down record {last.seq.toLocaleString('en')} with hash <Mono wrap>{last.hash}</Mono> outside this service:
          it proves later that nothing up to here was cut off or written anew.
        </p>
      )}
    </Notice>
  );
}
