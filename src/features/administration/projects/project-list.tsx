'use client';
import { useT } from '@/lib/i18n/use-t';
import { PageHeader } from '@/ui/page-header';
import { ProjectTable } from './project-table';

/** All projects within reach. */
export function ProjectList() {
  const t = useT();
  return (
    <>
      <PageHeader title={t('Projects')} description={t('Workloads that belong together, inside one tenant.')} />
      <ProjectTable />
    </>
  );
}
