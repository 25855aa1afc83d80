'use client';
import { Boxes, Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { PROJECT_SORTS, type Project } from '@/domain/project';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../../shared/list-state';
import { usePermissions } from '../../shared/use-permissions';
import { useServerList } from '../../shared/use-server-list';
import { useTenantChoices } from '../use-choices';
import { DeleteProjectDialog } from './delete-project-dialog';
import { projectColumns } from './project-columns';
import { CreateProjectDrawer, EditProjectDrawer } from './project-drawer';

const LIST = { sorts: PROJECT_SORTS, defaultSort: 'name', filters: { tenant_id: 'id' } } as const;

/** Projects with search and filter; those of one tenant when it is given. */
export function ProjectTable({ tenantId }: { tenantId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const tenants = useTenantChoices();
  const [dialog, setDialog] = useState<{ kind: 'create' } | { kind: 'edit' | 'delete'; project: Project } | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('project:write');
  const fixed = tenantId ? { tenant_id: tenantId } : undefined;
  const columns = useMemo(
    () => projectColumns(t).filter((column) => tenantId === undefined || column.id !== 'tenant_name'),
    [t, tenantId],
  );
  const list = useServerList({
    name: 'projects',
    columns,
    state,
    pathKey: trpc.projects.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.projects.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => setDialog({ kind: 'create' })}
      disabledReason={writeReason}
    >
      {t('Create project')}
    </Button>
  );
  return (
    <>
      <FilterBar
        search={{ label: t('Search projects'), value: state.q, onValueChange: state.setQ }}
        facets={
          tenantId
            ? []
            : [
                {
                  id: 'tenant_id',
                  label: t('Tenant'),
                  single: true,
                  options: tenants,
                  value: state.filters.tenant_id ? [state.filters.tenant_id] : [],
                  onValueChange: ([value]) => state.setFilter('tenant_id', value ?? null),
                },
              ]
        }
        onClear={state.clear}
      >
        {create}
      </FilterBar>
      <DataTable
        {...list}
        id={tenantId ? 'tenant-projects' : 'projects'}
        label={t('Projects')}
        noun={{ one: t('project'), many: t('projects') }}
        rowId={(project) => project.id}
        onRowOpen={(project) => router.push(paths.workloads({ project_id: project.id }))}
        rowActions={(project) => ({
          name: project.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit project'),
              onSelect: () => setDialog({ kind: 'edit', project }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete project'),
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', project }),
              disabledReason:
                writeReason ??
                (project.workloads_total > 0 && t('It has workloads: assign them to another project first.')),
            },
          ],
        })}
        empty={
          <EmptyState icon={<Boxes />} title={t('No projects yet')} action={create}>
            {t(
              'Workloads belong to a tenant through a project. Create one, then assign workloads to it from the list of workloads.',
            )}
          </EmptyState>
        }
      />
      {dialog?.kind === 'create' && <CreateProjectDrawer tenantId={tenantId} onClose={close} />}
      {dialog?.kind === 'edit' && <EditProjectDrawer project={dialog.project} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteProjectDialog project={dialog.project} onClose={close} />}
    </>
  );
}
