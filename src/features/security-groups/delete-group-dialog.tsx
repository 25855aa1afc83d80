'use client';
import { useQuery } from '@tanstack/react-query';
import type { SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { DeleteDialog } from '../shared/delete-dialog';
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
  const client = useTRPCClient();
  const fresh = useQuery({ ...trpc.securityGroups.get.queryOptions({ id: group.id }), staleTime: 0 });
  const { members_total, policies_total } = fresh.data ?? group;
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
    <DeleteDialog
      title={t('Delete group {name}?', { name: group.name })}
      confirmLabel={t('Delete group')}
      name={group.name}
      remove={() => client.securityGroups.delete.mutate({ id: group.id })}
      outdated={[trpc.securityGroups.pathFilter()]}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      <p>
        {membersText(t, members_total)}{' '}
        {t('The workloads stay unchanged. No policies use this group, so no rules change on any workload.')}
      </p>
    </DeleteDialog>
  );
}
