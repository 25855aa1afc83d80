'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Dialog } from '@/ui/dialog';
import { showToast } from '@/ui/toast';
import { membersText } from './group-labels';
import { GroupUsage } from './group-usage';

type Props = {
  group: Pick<SecurityGroup, 'id' | 'name' | 'members_total' | 'policies_total'>;
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks before a group goes; one that policies name does not go, and they are shown. */
export function DeleteGroupDialog({ group, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const fresh = useQuery({ ...trpc.securityGroups.get.queryOptions({ id: group.id }), staleTime: 0 });
  const { members_total, policies_total } = fresh.data ?? group;
  const remove = useMutation(
    trpc.securityGroups.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: group.name }) });
        onDeleted();
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
      },
      onError: () => void queryClient.invalidateQueries(trpc.securityGroups.pathFilter()),
    }),
  );
  if (policies_total > 0) {
    return (
      <Dialog
        open
        onOpenChange={(next) => !next && onClose()}
        title={t('{name} is in use', { name: group.name })}
        description={t(
          'Without the group, these policies would resolve to fewer workloads than intended. Remove the group from the policies first.',
        )}
        footer={
          <Button variant="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        }
      >
        <GroupUsage groupId={group.id} />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Delete group {name}?', { name: group.name })}
      confirmLabel={t('Delete group')}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate({ id: group.id })}
    >
      <p>
        {membersText(t, members_total)}{' '}
        {t('The workloads stay unchanged. No policies use this group, so no rules change on any workload.')}
      </p>
    </ConfirmDialog>
  );
}
