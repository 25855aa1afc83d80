import type { ChangeSummary } from '@/domain/change/change';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Missing, RelativeTime } from '@/ui/values';
import { STATE_LABELS } from '../shared/changes/change-labels';
import { ChangeLink, ChangeStateView } from '../shared/changes/change-state';

const make = createColumnHelper<ChangeSummary>();

/** The tenants by name; null is the installation. */
export const formatTenants = (t: Translate, { tenants }: Pick<ChangeSummary, 'tenants'>): string =>
  tenants.map(({ name }) => name ?? t('Installation')).join(', ');

const waitsFor = (t: Translate, { state, paused }: ChangeSummary): string | null => {
  if (paused) return t('Continue after canaries');
  const { waitsFor: word } = STATE_LABELS[state];
  return word && t(word);
};

export const changeColumns = (t: Translate) => [
  make.text('title', t('Title'), (change) => change.title, {
    sortable: true,
    width: 220,
    grow: true,
    render: (change) => <ChangeLink id={change.id} title={change.title} />,
  }),
  make.custom('state', t('State'), (change) => <ChangeStateView state={change.state} />, {
    width: 200,
    csv: (change) => t(STATE_LABELS[change.state].word),
  }),
  make.text('tenants', t('Tenants'), (change) => formatTenants(t, change), { width: 136 }),
  make.number('items_total', t('Edits'), (change) => change.items_total),
  make.text('created_by', t('Requested by'), (change) => change.created_by.name, { width: 152 }),
  make.custom(
    'waiting_for',
    t('Waiting for'),
    (change) => {
      const word = waitsFor(t, change);
      if (!word) return <Missing label={t('Nothing')} />;
      if (!change.confirm_until) return word;
      return t.rich('{step} {at}', { step: word, at: <RelativeTime at={change.confirm_until} /> });
    },
    { width: 184, csv: (change) => waitsFor(t, change) },
  ),
  make.time('updated_at', t('Updated'), (change) => change.updated_at, { sortable: true }),
  make.text('description', t('Description'), (change) => change.description, { hidden: true, width: 200 }),
  make.number('version', t('Version'), (change) => change.version, { hidden: true }),
  make.time('created_at', t('Created'), (change) => change.created_at, { sortable: true, hidden: true }),
  make.time('applied_at', t('Applied'), (change) => change.applied_at, { hidden: true }),
  make.time('finished_at', t('Finished'), (change) => change.finished_at, { hidden: true }),
];
