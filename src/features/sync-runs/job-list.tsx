import { PageHeader } from '@/ui/page-header';
import { RunTable } from './run-table';

/** What the service does in the background: syncs and discoveries of all clusters. */
export function JobList() {
  return (
    <>
      <PageHeader title="Jobs" description="Syncs and discoveries: what runs, what ran, and what went wrong." />
      <RunTable />
    </>
  );
}
