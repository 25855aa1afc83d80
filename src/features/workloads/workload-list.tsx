import { getT } from '@/lib/i18n/server';
import { PageHeader } from '@/ui/page-header';
import { WorkloadTable } from './workload-table';

/** The virtual machines and containers of all clusters. */
export async function WorkloadList() {
  const t = await getT();
  return (
    <>
      <PageHeader title={t('Workloads')} />
      <WorkloadTable />
    </>
  );
}
