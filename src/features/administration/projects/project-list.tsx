'use client';
import { PageHeader } from '@/ui/page-header';
import { ProjectTable } from './project-table';

/** All projects within reach. */
export function ProjectList() {
  return (
    <>
      <PageHeader title="Projects" description="Workloads that belong together, inside one tenant." />
      <ProjectTable />
    </>
  );
}
