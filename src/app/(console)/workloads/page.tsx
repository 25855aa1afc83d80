import { WorkloadTable } from '@/features/workloads/workload-table';
import { getT, withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { PageHeader } from '@/ui/page-header';

export const generateMetadata = withTitle(msg('Workloads'));

export default async function WorkloadsPage() {
  const t = await getT();
  return (
    <>
      <PageHeader title={t('Workloads')} />
      <WorkloadTable />
    </>
  );
}
