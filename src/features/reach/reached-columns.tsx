import type { Reached } from '@/domain/reach/reach';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { PolicyLink, WorkloadLink } from '../shared/entity-links';
import { CELL_LABELS, SEEN_LABELS, servicesText } from './reach-labels';

const make = createColumnHelper<Reached>();

/** Columns of what reaches a workload, and of what it reaches. */
export const reachedColumns = (t: Translate) => [
  make.text('workload', t('Workload'), ({ workload }) => workload?.name ?? t('Anything outside'), {
    width: 180,
    grow: true,
    render: ({ workload }) =>
      workload ? <WorkloadLink id={workload.id} name={workload.name} /> : t('Anything outside'),
  }),
  make.custom(
    'verdict',
    t('Verdict'),
    ({ verdict }) => <Status tone={CELL_LABELS[verdict].tone}>{t(CELL_LABELS[verdict].word)}</Status>,
    { width: 130, csv: ({ verdict }) => verdict },
  ),
  make.custom(
    'seen',
    t('Seen'),
    ({ seen }) => seen && <Status tone={SEEN_LABELS[seen.state].tone}>{t(SEEN_LABELS[seen.state].word)}</Status>,
    { width: 120, csv: ({ seen }) => seen?.state ?? null },
  ),
  make.text('services', t('Services'), ({ services }) => servicesText(t, services), { width: 160, grow: true }),
  make.text('decided_by', t('Decided by'), ({ decided_by: by }) => by?.explanation ?? null, {
    width: 240,
    grow: true,
    render: ({ decided_by: by }) =>
      by && (
        <span title={by.explanation}>
          {by.policy_id && by.policy_name ? <PolicyLink id={by.policy_id} name={by.policy_name} /> : by.explanation}
        </span>
      ),
  }),
  make.text('via', t('Through'), ({ via }) => via.map(({ name }) => name).join(' → '), { width: 140 }),
  make.time('last_seen_at', t('Last seen'), ({ seen }) => seen?.last_seen_at),
];
