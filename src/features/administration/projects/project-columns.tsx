import Link from 'next/link';
import type { Project } from '@/domain/project';
import { paths } from '@/lib/paths';
import { columnsOf } from '@/ui/columns';
import { TenantLink } from '../admin-links';

const make = columnsOf<Project>();

export const PROJECT_COLUMNS = [
  make.text('name', 'Name', (project) => project.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (project) => (
      <Link className="link" href={paths.workloads({ project_id: project.id })}>
        {project.name}
      </Link>
    ),
  }),
  make.text('tenant_name', 'Tenant', (project) => project.tenant_name, {
    sortable: true,
    width: 160,
    render: (project) => <TenantLink id={project.tenant_id} name={project.tenant_name} />,
  }),
  make.number('workloads_total', 'Workloads', (project) => project.workloads_total, { width: 100 }),
  make.text('description', 'Description', (project) => project.description, { width: 200, grow: true }),
  make.time('updated_at', 'Changed', (project) => project.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', 'Created', (project) => project.created_at, { sortable: true, hidden: true, width: 110 }),
];
