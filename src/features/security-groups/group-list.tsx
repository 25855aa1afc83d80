'use client';
import { Group as GroupIcon } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { SECURITY_GROUP_SORTS } from '@/domain/choices';
import type { SecurityGroup } from '@/domain/security-group';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { inUrl, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { PROJECT } from '../shared/list/sources';
import { useList } from '../shared/list/use-list';
import { AsOfButton, PastNotice } from '../shared/past/as-of';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { DeleteGroupDialog } from './delete-group-dialog';
import { groupColumns } from './group-columns';

const CreateGroupDrawer = loadOnOpening(() =>
  import('./create-group-drawer').then((module) => module.CreateGroupDrawer),
);

const GROUPS = declareList({
  from: 'securityGroups.list',
  name: 'security-groups',
  title: msg('Groups'),
  label: msg('Groups'),
  noun: { one: msg('group'), many: msg('groups') },
  search: msg('Search groups'),
  sorts: SECURITY_GROUP_SORTS,
  defaultSort: 'name',
  filters: {
    project_id: searched(msg('Project'), 'id_or_none', PROJECT, msg('Without project')),
    as_of: inUrl('time'),
  },
  columns: groupColumns,
  rowId: (group) => group.id,
  rowPath: (group) => paths.securityGroup({ groupId: group.id }),
  add: {
    label: msg('Create group'),
    permission: 'group:write',
  },
  empty: {
    icon: <GroupIcon />,
    title: msg('No groups yet'),
    text: msg(
      'A group contains workloads of one role, such as web servers. Policies refer to the group and follow membership changes.',
    ),
  },
});

/** All security groups: how many members, and how many policies name them. */
export function GroupList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [adding, setAdding] = useAdding('group:write');
  const [deleting, setDeleting] = useState<SecurityGroup | null>(null);
  const list = useList(GROUPS);
  const asOf = list.state.filters.as_of;
  const showTime = (at: string | null) => list.state.setFilter('as_of', at);
  const rowActions = (group: SecurityGroup) => ({
    name: group.name,
    entries: [
      {
        id: 'delete',
        label: t('Delete group'),
        tone: 'danger' as const,
        onSelect: () => setDeleting(group),
        disabledReason: reason('group:write', group),
      },
    ],
  });
  return (
    <>
      <ListView
        of={list}
        summary={<PastNotice at={asOf} onChange={showTime} />}
        {...(asOf === null
          ? { onAdd: () => setAdding(true), rowActions }
          : {
              onRowOpen: ({ id }: SecurityGroup) => router.push(paths.securityGroup({ groupId: id, as_of: asOf })),
            })}
      >
        <AsOfButton at={asOf} onChange={showTime} />
      </ListView>
      {adding && (
        <CreateGroupDrawer
          onClose={() => setAdding(false)}
          onCreated={(group) => router.push(paths.securityGroup({ groupId: group.id }))}
        />
      )}
      {deleting && (
        <DeleteGroupDialog group={deleting} onClose={() => setDeleting(null)} onDeleted={() => setDeleting(null)} />
      )}
    </>
  );
}
