import type { RouterOutputs } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { Status } from '@/ui/status';
import { everyText, jobTitle } from './job-words';

type Overview = RouterOutputs['jobs']['overview'];
export type QueueRow = Overview['queues'][number];
export type FailureRow = Overview['recent_failures'][number];

const queue = columnsOf<QueueRow>();

export const QUEUE_COLUMNS = [
  queue.text('name', 'Job', (row) => jobTitle(row.name), { width: 220, grow: true }),
  queue.custom(
    'workers',
    'Workers',
    (row) =>
      row.workers === null ? (
        <Status tone="unknown">Unknown</Status>
      ) : row.workers === 0 ? (
        <Badge tone="danger">None</Badge>
      ) : (
        row.workers
      ),
    { width: 110 },
  ),
  queue.number('active', 'Running', (row) => row.active, { width: 90 }),
  queue.number('waiting', 'Waiting', (row) => row.waiting, { width: 90 }),
  queue.number('delayed', 'Delayed', (row) => row.delayed, { width: 90 }),
  queue.number('failed', 'Failed', (row) => row.failed, { width: 90 }),
  queue.text('every_seconds', 'Runs', (row) => everyText(row.every_seconds) ?? 'when asked for', { width: 130 }),
  queue.time('next_run_at', 'Next', (row) => row.next_run_at, { width: 110 }),
];

const failure = columnsOf<FailureRow>();

export const FAILURE_COLUMNS = [
  failure.time('failed_at', 'Failed', (row) => row.failed_at, { width: 120 }),
  failure.text('name', 'Job', (row) => jobTitle(row.name), { width: 200 }),
  failure.text('reason', 'Reason', (row) => row.reason, {
    width: 300,
    grow: true,
    render: (row) => <span title={row.reason}>{row.reason}</span>,
  }),
  failure.number('attempts', 'Attempts', (row) => row.attempts, { width: 90 }),
  failure.mono('payload', 'For', (row) => JSON.stringify(row.payload), { width: 240 }),
];
