import { PageHeader } from '@/ui/page-header';
import { NetworkTable } from './network-table';

/** The networks of all clusters. */
export function NetworkList() {
  return (
    <>
      <PageHeader title="Networks" />
      <NetworkTable />
    </>
  );
}
