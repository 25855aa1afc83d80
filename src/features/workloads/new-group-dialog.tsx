'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import type { PolicyDraft } from '@/domain/policy-draft';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { TextInput } from '@/ui/text-input';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../shared/changes/change-refusal';
import { withoutProposed } from '../shared/changes/proposed-change';
import { draftPathFor } from '../shared/policy-draft/draft-link';
import { usePermissions } from '../shared/use-permissions';

type Props = { draft: PolicyDraft; workloadIds: readonly string[]; onClose: () => void };

/** Names the group of the chosen workloads, creates it, and opens the policy editor for it. */
export function NewGroupDialog({ draft, workloadIds, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const field = useId();
  const [name, setName] = useState('');
  const create = useMutation(
    trpc.securityGroups.create.mutationOptions({
      onSuccess: (group) => {
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        showToast('ok', { title: t('{name} created', { name: group.name }) });
        router.push(draftPathFor({ security_group_id: group.id }));
      },
    }),
  );
  const { tenant_id, project_id } = draft;
  const submit = () =>
    create.mutate({
      name: name.trim(),
      workload_ids: [...workloadIds],
      ...(tenant_id !== null && { tenant_id }),
      ...(project_id !== null && { project_id }),
    });
  const failure = create.error ? toFailure(create.error) : null;
  const shownFailure = withoutProposed(failure);
  const disabledReason = reason('group:write') ?? (name.trim() === '' && t('Enter a name for the group.'));
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Group the selection')}
      description={t('No group has exactly these {n, number} workloads. The policy covers a new group of them.', {
        n: workloadIds.length,
      })}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" pending={create.isPending} disabledReason={disabledReason} onClick={submit}>
            {t('Create group and policy')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabledReason) submit();
        }}
      >
        <div className="flex flex-col gap-1">
          <label htmlFor={field} className="text-sm font-medium">
            {t('Group name')}
          </label>
          <TextInput id={field} value={name} onChange={(event) => setName(event.target.value)} maxLength={64} />
        </div>
        <ChangeRefusal failure={failure} />
        {shownFailure && (
          <Notice tone="danger" title={shownFailure.title} live>
            {shownFailure.detail}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
