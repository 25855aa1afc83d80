'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { MAX_BULK_MEMBERS } from '@/domain/choices';
import type { PolicyDraft } from '@/domain/policy-draft';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { loadLater } from '@/ui/load-on-opening';
import { showToast } from '@/ui/toast';
import { draftPathFor } from '../shared/policy-draft/draft-link';

const NewGroupDialog = loadLater(() => import('./new-group-dialog').then((module) => module.NewGroupDialog));

/**
 * Opens the editor of policies with the chosen workloads as target: as the group that they are, as the one workload, or as a group
 * that is created of them first.
 */
export function CreatePolicyButton({ workloadIds }: { workloadIds: readonly string[] }) {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const [grouped, setGrouped] = useState<{ draft: PolicyDraft; workloadIds: readonly string[] } | null>(null);
  const find = useMutation(
    trpc.policies.draft.mutationOptions({
      // The selection may be another one by now.
      onSuccess: (draft, { destination }) => {
        const { security_group_id } = draft.target;
        const asked = destination?.workload_ids ?? [];
        const [only, ...more] = asked;
        if (security_group_id) router.push(draftPathFor({ security_group_id }));
        else if (only !== undefined && more.length === 0) router.push(draftPathFor({ workload_id: only }));
        else setGrouped({ draft, workloadIds: asked });
      },
      onError: (error) => {
        const { title, detail } = toFailure(error);
        showToast('danger', { title: t('Could not draft a policy'), description: detail ?? title });
      },
    }),
  );
  return (
    <>
      <Button
        size="sm"
        pending={find.isPending}
        disabledReason={
          workloadIds.length > MAX_BULK_MEMBERS &&
          t('Select at most {n, number} workloads. Narrow the filter.', { n: MAX_BULK_MEMBERS })
        }
        onClick={() => find.mutate({ destination: { workload_ids: [...workloadIds] } })}
      >
        {t('Create policy for selection')}
      </Button>
      {grouped && <NewGroupDialog {...grouped} onClose={() => setGrouped(null)} />}
    </>
  );
}
