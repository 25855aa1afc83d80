'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPCClient } from '@/lib/trpc';
import { DetailSkeleton } from '../../shared/detail-page';
import { QueryView } from '../../shared/query-view';
import { draftName } from './draft-name';
import { DraftNotice } from './draft-notice';
import { NewPolicyForm } from './new-policy-form';

/** A new policy with what the service proposes for observed traffic or for workloads. */
export function DraftedPolicy({ link }: { link: string }) {
  const t = useT();
  const client = useTRPCClient();
  // Proposed once: later changes of the inventory do not overwrite what the author typed.
  const query = useQuery({
    queryKey: ['policy-draft', link],
    queryFn: async ({ signal }) => {
      const { parseDraftLink } = await import('../../shared/policy-draft/parse-draft-link');
      const asked = parseDraftLink(new URLSearchParams(link));
      return asked && { ...(await client.policies.draft.mutate(asked, { signal })), action: asked.action };
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  const settled = query.isFetchedAfterMount || query.isError;
  return (
    <QueryView query={settled ? query : { ...query, data: undefined }} skeleton={<DetailSkeleton />}>
      {(draft) =>
        draft ? (
          <NewPolicyForm
            draft={{ ...draft, name: draftName(t, draft, draft.action) }}
            notice={(form) => <DraftNotice draft={draft} form={form as never} />}
          />
        ) : (
          <NewPolicyForm />
        )
      }
    </QueryView>
  );
}
