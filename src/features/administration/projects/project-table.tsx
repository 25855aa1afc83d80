'use client';
import { Boxes } from 'lucide-react';
import { useState } from 'react';
import { PROJECT_SORTS } from '@/domain/choices';
import type { Project } from '@/domain/project';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { entity } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { useTenantChoices } from '../use-choices';
import { DeleteProjectDialog } from './delete-project-dialog';
import { projectColumns } from './project-columns';

const CreateProjectDrawer = loadOnOpening(() =>
  import('./project-drawer').then((module) => module.CreateProjectDrawer),
);
const EditProjectDrawer = loadOnOpening(() => import('./project-drawer').then((module) => module.EditProjectDrawer));

const PROJECTS = declareList({
  from: 'projects.list',
  name: 'projects',
  label: msg('Projects'),
  noun: { one: msg('project'), many: msg('projects') },
  search: msg('Search projects'),
  sorts: PROJECT_SORTS,
  defaultSort: 'name',
  filters: { tenant_id: entity(msg('Tenant'), useTenantChoices) },
  columns: projectColumns,
  rowId: (project) => project.id,
  rowPath: (project) => paths.workloads({ project_id: project.id }),
  add: { label: msg('Create project'), permission: 'project:write' },
  empty: {
    icon: <Boxes />,
    title: msg('No projects yet'),
    text: msg('Projects connect workloads to a tenant. Create a project, then assign workloads in the workload list.'),
  },
});

/** Projects with search and filter; those of one tenant when it is given. */
export function ProjectTable({ tenantId }: { tenantId?: string }) {
  const t = useT();
  const { reason } = usePermissions();
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; project: Project } | null>(null);
  const close = () => setDialog(null);
  const [adding, setAdding] = useAdding('project:write');
  const writeReason = reason('project:write');
  const list = useList(PROJECTS, tenantId ? { within: { tenant_id: tenantId }, hide: ['tenant_name'] } : {});
  return (
    <>
      <ListView
        of={list}
        id={tenantId && 'tenant-projects'}
        onAdd={() => setAdding(true)}
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
                (project.workloads_total > 0 && t('The project has workloads. Assign them to another project first.')),
            },
          ],
        })}
      />
      {adding && <CreateProjectDrawer tenantId={tenantId} onClose={() => setAdding(false)} />}
      {dialog?.kind === 'edit' && <EditProjectDrawer project={dialog.project} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteProjectDialog project={dialog.project} onClose={close} />}
    </>
  );
}
