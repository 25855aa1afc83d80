import { getT } from '@/lib/i18n/server';
import { PageHeader } from '@/ui/page-header';
import { NodeTable } from './node-table';

/** The nodes of all clusters. */
export async function NodeList() {
  const t = await getT();
  return (
    <>
      <PageHeader title={t('Nodes')} />
      <NodeTable />
    </>
  );
}
