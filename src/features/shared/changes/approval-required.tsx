'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { type Failure, toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import type { ProposedChange } from './proposed-change';

/** Refused because it needs approval: submits the change that the service proposes for review, and opens it. */
export function ApprovalRequired({ failure, proposed }: { failure: Failure; proposed: ProposedChange }) {
  const t = useT();
  const router = useRouter();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const submit = useMutation({
    mutationFn: async () => {
      const draft = await client.changes.create.mutate(proposed);
      // A draft that cannot be submitted says why on its page.
      return client.changes.submit.mutate({ id: draft.id, version: draft.version }).catch(() => draft);
    },
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries(trpc.changes.list.pathFilter());
      router.push(paths.change({ changeId: id }));
    },
  });
  const refusal = submit.error ? toFailure(submit.error) : null;
  return (
    <Notice
      tone="warn"
      live
      title={t('Approval required')}
      action={
        <Button size="sm" variant="primary" pending={submit.isPending} onClick={() => submit.mutate()}>
          {t('Submit as a change')}
        </Button>
      }
    >
      <p>{failure.detail}</p>
      {refusal && <p className="text-danger">{refusal.detail ?? refusal.title}</p>}
    </Notice>
  );
}
