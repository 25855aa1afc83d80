'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import type { ProposedChange } from './proposed-change';

/** Creates a change, submits it, and opens its page. Where no approval is required it is approved then. */
export function useSubmitAsChange() {
  const router = useRouter();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (proposed: ProposedChange) => {
      const draft = await client.changes.create.mutate(proposed);
      // A draft that cannot be submitted says why on its page.
      return client.changes.submit.mutate({ id: draft.id, version: draft.version }).catch(() => draft);
    },
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries(trpc.changes.list.pathFilter());
      router.push(paths.change({ changeId: id }));
    },
  });
}
