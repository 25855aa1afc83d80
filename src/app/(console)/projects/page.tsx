import { ProjectTable } from '@/features/administration/projects/project-table';
import { getT, withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { PageHeader } from '@/ui/page-header';

export const generateMetadata = withTitle(msg('Projects'));

export default async function ProjectsPage() {
  const t = await getT();
  return (
    <>
      <PageHeader title={t('Projects')} description={t('Projects group the workloads of one tenant.')} />
      <ProjectTable />
    </>
  );
}
