import { Jobs } from '@/features/jobs/jobs';
import { RunTable } from '@/features/sync-runs/run-table';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Jobs'));

export default function JobsPage() {
  return <Jobs runs={<RunTable />} />;
}
