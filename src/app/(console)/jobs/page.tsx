import type { Metadata } from 'next';
import { Jobs } from '@/features/jobs/jobs';
import { RunTable } from '@/features/sync-runs/run-table';

export const metadata: Metadata = { title: 'Jobs' };

export default function JobsPage() {
  return <Jobs runs={<RunTable />} />;
}
