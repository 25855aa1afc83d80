'use client';
import { Group as GroupIcon, Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { SECURITY_GROUP_SORTS, type SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { useListState } from '../shared/list-state';
import { usePermissions } from '../shared/use-permissions';
import { useProjectFacet } from '../shared/use-project-options';
import { useServerList } from '../shared/use-server-list';
import { CreateGroupDrawer } from './create-group-drawer';
import { DeleteGroupDialog } from './delete-group-dialog';
import { groupColumns } from './group-columns';

const LIST = { sorts: SECURITY_GROUP_SORTS, defaultSort: 'name', filters: { project_id: 'id_or_none' } } as const;

/** All security groups: how many members, and how many policies name them. */
export function GroupList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const [deleting, setDeleting] = useState<SecurityGroup | null>(null);
  const projects = useProjectFacet();
  const columns = useMemo(() => groupColumns(t), [t]);
  const list = useServerList({
    name: 'security-groups',
    columns,
    state,
    pathKey: trpc.securityGroups.list.pathKey(),
    fetchPage: (page, signal) => client.securityGroups.list.query({ ...state.input, ...page }, { signal }),
  });
  const writeReason = reason('group:write');
  useCommands(
    useMemo(
      () =>
        writeReason === null
          ? [
              {
                id: 'groups.add',
                label: t('Create security group'),
                group: t('Security groups'),
                icon: <Plus />,
                run: () => void setAdding(true),
              },
            ]
          : [],
      [t, writeReason, setAdding],
    ),
  );
  const add = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => void setAdding(true)}
      disabledReason={writeReason}
    >
      {t('Create group')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('Security groups')} actions={add} />
      <FilterBar
        search={{ label: t('Search security groups'), value: state.q, onValueChange: state.setQ }}
        facets={
          projects.length > 1
            ? [
                {
                  id: 'project_id',
                  label: t('Project'),
                  single: true,
                  options: projects,
                  value: state.filters.project_id ? [state.filters.project_id] : [],
                  onValueChange: ([value]) => state.setFilter('project_id', value ?? null),
                },
              ]
            : []
        }
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="security-groups"
        label={t('Security groups')}
        noun={{ one: t('security group'), many: t('security groups') }}
        rowId={(group) => group.id}
        onRowOpen={(group) => router.push(paths.securityGroup({ groupId: group.id }))}
        rowActions={(group) => ({
          name: group.name,
          entries: [
            {
              id: 'delete',
              label: t('Delete group'),
              tone: 'danger',
              onSelect: () => setDeleting(group),
              disabledReason: reason('group:write', group),
            },
          ],
        })}
        empty={
          <EmptyState icon={<GroupIcon />} title={t('No security groups yet')} action={add}>
            {t(
              'A group holds workloads of one role, such as web servers. Policies then name the group, and follow when its members change.',
            )}
          </EmptyState>
        }
      />
      <CreateGroupDrawer
        open={adding}
        onClose={() => void setAdding(null)}
        onCreated={(group) => router.push(paths.securityGroup({ groupId: group.id }))}
      />
      {deleting && (
        <DeleteGroupDialog group={deleting} onClose={() => setDeleting(null)} onDeleted={() => setDeleting(null)} />
      )}
    </>
  );
}
