'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import type { SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { EmptyState } from '@/ui/empty-state';
import { RowActions } from '@/ui/menu';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { DetailSkeleton, useDocumentTitle } from '../shared/detail-page';
import { QueryView } from '../shared/query-view';
import { usePermissions } from '../shared/use-permissions';
import { AddMembersDrawer } from './add-members-drawer';
import { DeleteGroupDialog } from './delete-group-dialog';
import { EditGroupDrawer } from './edit-group-drawer';
import { tagRuleText } from './group-labels';
import { GroupUsage } from './group-usage';
import { MemberTable } from './member-table';

const TABS = ['members', 'policies'] as const;

/** One security group: its members and the policies that name it. */
export function GroupDetail({ groupId }: { groupId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.securityGroups.get.queryOptions({ id: groupId }));
  useDocumentTitle(query.data?.name);
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {(group) => <Content group={group} />}
    </QueryView>
  );
}

function Content({ group }: { group: SecurityGroup }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [tab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('members'));
  const [dialog, setDialog] = useState<'edit' | 'add' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('group:write', group);
  // A project's people read a group of the tenant with members of the project, and nothing of where else it is used.
  const whole = reason('group:read', group) && (
    <EmptyState title={t('Not visible to one project')}>
      {t('Only people with a role for the whole tenant see where the group is used.')}
    </EmptyState>
  );
  useCommands(
    useMemo(() => {
      const of = t('This security group');
      if (writeReason !== null) return [];
      return [
        { id: 'group.add', label: t('Add members'), group: of, icon: <Plus />, run: () => setDialog('add') },
        {
          id: 'group.edit',
          label: t('Edit security group'),
          group: of,
          icon: <Pencil />,
          run: () => setDialog('edit'),
        },
        {
          id: 'group.delete',
          label: t('Delete security group'),
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
            <Button icon={<Pencil size={14} />} onClick={() => setDialog('edit')} disabledReason={writeReason}>
              {t('Edit')}
            </Button>
            <Button
              variant="primary"
              icon={<Plus size={14} />}
              onClick={() => setDialog('add')}
              disabledReason={writeReason}
            >
              {t('Add members')}
            </Button>
            <RowActions
              name={group.name}
              entries={[
                {
                  id: 'delete',
                  label: t('Delete group'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => setDialog('delete'),
                  disabledReason: writeReason,
                },
              ]}
            />
          </>
        }
      />
      <Tabs
        label={t('Parts of the group')}
        value={tab}
        onValueChange={(next) =>
          router.push(paths.securityGroup({ groupId: group.id, tab: next === 'members' ? undefined : next }), {
            scroll: false,
          })
        }
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
          {
            value: 'policies',
            label: t('Used by policies'),
            count: group.policies_total,
            content: whole ?? <GroupUsage groupId={group.id} />,
          },
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
