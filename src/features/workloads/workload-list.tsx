import { PageHeader } from '@/ui/page-header';
import { WorkloadTable } from './workload-table';

/** The virtual machines and containers of all clusters. */
export function WorkloadList() {
  return (
    <>
      <PageHeader title="Workloads" />
      <WorkloadTable />
    </>
  );
}
