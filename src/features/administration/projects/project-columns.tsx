import type { Project } from '@/domain/project';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { TenantLink } from '../admin-links';

const make = createColumnHelper<Project>();

export const projectColumns = (t: Translate) => [
  make.text('name', t('Name'), (project) => project.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (project) => (
      <Link className="link" href={paths.workloads({ project_id: project.id })}>
        {project.name}
      </Link>
    ),
  }),
  make.text('tenant_name', t('Tenant'), (project) => project.tenant_name, {
    sortable: true,
    width: 160,
    render: (project) => <TenantLink id={project.tenant_id} name={project.tenant_name} />,
  }),
  make.number('workloads_total', t('Workloads'), (project) => project.workloads_total),
  make.text('description', t('Description'), (project) => project.description, { width: 200, grow: true }),
  make.time('updated_at', t('Changed'), (project) => project.updated_at, { sortable: true }),
  make.time('created_at', t('Created'), (project) => project.created_at, { sortable: true, hidden: true }),
];
