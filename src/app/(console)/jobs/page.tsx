import { Jobs } from '@/features/jobs/jobs';
import { RunTable } from '@/features/sync-runs/run-table';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Jobs'));

export default function JobsPage() {
  return <Jobs runs={<RunTable />} />;
}
