import { PageHeader } from '@/ui/page-header';
import { NodeTable } from './node-table';

/** The nodes of all clusters. */
export function NodeList() {
  return (
    <>
      <PageHeader title="Nodes" />
      <NodeTable />
    </>
  );
}
