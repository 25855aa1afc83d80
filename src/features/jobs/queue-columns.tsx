import type { Translate } from '@/lib/i18n/translator';
import type { RouterOutputs } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { intervalText, jobTitle } from './job-labels';

type Overview = RouterOutputs['jobs']['overview'];
export type QueueRow = Overview['queues'][number];
export type FailureRow = Overview['recent_failures'][number];

const queue = createColumnHelper<QueueRow>();

// A sense keeps words apart that are one in English only.
export const queueColumns = (t: Translate) => [
  queue.text('name', t('Job'), (row) => jobTitle(t, row.name), { width: 220, grow: true }),
  queue.custom(
    'workers',
    t('Workers'),
    (row) =>
      row.workers === null ? (
        <Status tone="unknown">{t('Unknown')}</Status>
      ) : row.workers === 0 ? (
        <Badge tone="danger">{t('None')}</Badge>
      ) : (
        row.workers
      ),
    { width: 110 },
  ),
  queue.number('active', t('{sense, select, other {Running}}', { sense: 'jobs' }), (row) => row.active),
  queue.number('waiting', t('Waiting'), (row) => row.waiting),
  queue.number('delayed', t('Delayed'), (row) => row.delayed),
  queue.number('failed', t('Failed'), (row) => row.failed),
  queue.text('every_seconds', t('Runs'), (row) => intervalText(t, row.every_seconds) ?? t('on demand'), {
    width: 130,
  }),
  queue.time('next_run_at', t('{sense, select, other {Next}}', { sense: 'run' }), (row) => row.next_run_at),
];

const failure = createColumnHelper<FailureRow>();

export const failureColumns = (t: Translate) => [
  failure.time('failed_at', t('Failed'), (row) => row.failed_at),
  failure.text('name', t('Job'), (row) => jobTitle(t, row.name), { width: 200 }),
  failure.text('reason', t('Reason'), (row) => row.reason, {
    width: 300,
    grow: true,
  }),
  failure.number('attempts', t('Attempts'), (row) => row.attempts),
  failure.mono('payload', t('Payload'), (row) => JSON.stringify(row.payload), { width: 240 }),
];
