'use client';
import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { type RouterOutputs, useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';
import { verificationText } from './audit-labels';

/** Computes the chain of hashes again; the page shows the result until the next request. */
export function useVerifyTrail() {
  const t = useT();
  const verify = useMutation(useTRPC().audit.verify.mutationOptions());
  return {
    button: (
      <Button icon={<ShieldCheck size={14} />} onClick={() => verify.mutate()} pending={verify.isPending}>
        {t('Verify trail')}
      </Button>
    ),
    outcome: verify.error ? (
      <Notice tone="danger" live title={t('Could not verify the trail')}>
        {toFailure(verify.error).detail ?? toFailure(verify.error).title}
      </Notice>
    ) : (
      verify.data && <Outcome {...verify.data} />
    ),
  };
}

function Outcome(verification: RouterOutputs['audit']['verify']) {
  const t = useT();
  const { tone, title, text } = verificationText(t, verification);
  const { last } = verification;
  return (
    <Notice tone={tone} live title={title}>
      <p>{text}</p>
      {last && (
        <p className="text-muted">
          {t.rich(
            'Store record {seq} and hash {hash} outside Fabric. They later prove that no record up to this point was removed or rewritten.',
            { seq: formatCount(last.seq), hash: <Mono wrap>{last.hash}</Mono> },
          )}
        </p>
      )}
    </Notice>
  );
}
