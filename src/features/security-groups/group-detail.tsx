'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { toOwner } from '@/domain/permissions';
import type { SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { showToast } from '@/ui/toast';
import { DeleteMenu, EditButton } from '../shared/detail-actions';
import { DetailPage } from '../shared/detail-page';
import { ManagedNotice } from '../shared/managed-notice';
import { AsOfButton, PastNotice, usePastTime } from '../shared/past/as-of';
import { SuggestLink } from '../shared/suggest-link';
import { ReachLink } from '../shared/traffic-links';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { DeleteGroupDialog } from './delete-group-dialog';
import { tagRuleText } from './group-labels';
import { GroupUsage } from './group-usage';
import { MemberTable } from './member-table';

const EditGroupDrawer = loadOnOpening(() => import('./edit-group-drawer').then((module) => module.EditGroupDrawer));

const AddMembersDrawer = loadOnOpening(() => import('./add-members-drawer').then((module) => module.AddMembersDrawer));

const TABS = ['members', 'policies'] as const;

/** One security group: its members and the policies that name it. */
export function GroupDetail({ groupId }: { groupId: string }) {
  const trpc = useTRPC();
  const [asOf, showTime] = usePastTime();
  const query = useQuery(trpc.securityGroups.get.queryOptions({ id: groupId, as_of: asOf ?? undefined }));
  return (
    <>
      <PastNotice at={asOf} onChange={showTime} />
      <DetailPage query={query} title={(item) => item.name}>
        {(group) => <Content group={group} />}
      </DetailPage>
    </>
  );
}

function Content({ group }: { group: SecurityGroup }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [asOf, showTime] = usePastTime();
  const [tab, openTab] = useUrlTab(TABS, (tab) =>
    paths.securityGroup({ groupId: group.id, tab, ...(asOf && { as_of: asOf }) }),
  );
  const [dialog, setDialog] = useState<'edit' | 'add' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const release = useMutation(
    trpc.securityGroups.release.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        showToast('ok', { title: t('Group released') });
      },
    }),
  );
  const writeReason = asOf === null ? reason('group:write', group) : t('Show now to edit it');
  // A project's people read a group of the tenant with members of the project, and nothing of where else it is used.
  const whole = reason('group:read', group) && (
    <EmptyState title={t('Requires a tenant-wide role')}>
      {t('Only users with a role for the whole tenant can view where the group is used.')}
    </EmptyState>
  );
  useCommands(
    useMemo(() => {
      const of = t('This group');
      if (writeReason !== null) return [];
      return [
        { id: 'group.add', label: t('Add members'), group: of, icon: <Plus />, run: () => setDialog('add') },
        {
          id: 'group.edit',
          label: t('Edit group'),
          group: of,
          icon: <Pencil />,
          run: () => setDialog('edit'),
        },
        {
          id: 'group.delete',
          label: t('Delete group'),
          group: of,
          icon: <Trash2 />,
          run: () => setDialog('delete'),
        },
      ];
    }, [t, writeReason]),
  );
  const rule = tagRuleText(t, group);
  return (
    <>
      <PageTrail crumbs={[{ label: group.name }]} />
      <PageHeader
        title={group.name}
        description={group.description || undefined}
        badge={
          <>
            {rule && <Badge>{t('By tag: {rule}', { rule })}</Badge>}
            {group.tenant_name && <Badge>{group.tenant_name}</Badge>}
            {group.project_name && <Badge>{t('Project {name}', { name: group.project_name })}</Badge>}
          </>
        }
        actions={
          <>
            <SuggestLink scope={{ group_id: group.id }} />
            <ReachLink to={[`sg:${group.id}`]} />
            <AsOfButton at={asOf} onChange={showTime} />
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <DeleteMenu
              name={group.name}
              label={t('Delete group')}
              onSelect={() => setDialog('delete')}
              disabledReason={writeReason}
            />
            <Button
              variant="primary"
              icon={<Plus size={14} />}
              onClick={() => setDialog('add')}
              disabledReason={writeReason}
            >
              {t('Add members')}
            </Button>
          </>
        }
      />
      {asOf === null && (
        <ManagedNotice object={group} disabledReason={reason('group:write', toOwner(group))} release={release} />
      )}
      <Tabs
        label={t('Group sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'members',
            label: t('Members'),
            count: group.members_total,
            content: (
              <MemberTable
                group={group}
                onAdd={() => setDialog('add')}
                onEdit={() => setDialog('edit')}
                writeReason={writeReason}
              />
            ),
          },
          ...(asOf === null
            ? [
                {
                  value: 'policies',
                  label: t('Used by policies'),
                  count: group.policies_total,
                  content: whole ?? <GroupUsage groupId={group.id} />,
                },
              ]
            : []),
        ]}
      />
      {dialog === 'edit' && <EditGroupDrawer group={group} onClose={close} />}
      {dialog === 'add' && <AddMembersDrawer group={group} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteGroupDialog group={group} onClose={close} onDeleted={() => router.replace(paths.securityGroups())} />
      )}
    </>
  );
}
