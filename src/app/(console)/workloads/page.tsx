import { WorkloadList } from '@/features/workloads/workload-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Workloads'));

export default function WorkloadsPage() {
  return <WorkloadList />;
}
