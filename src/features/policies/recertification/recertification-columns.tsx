import type { RECERTIFICATION_STATUSES } from '@/domain/choices';
import type { Recertification } from '@/domain/recertification';
import { msg, type Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status, type Tone } from '@/ui/status';
import { MaybeLink } from '@/ui/values';
import { PolicyLink } from '../../shared/entity-links';

export const RECERTIFICATION_STATES: Record<(typeof RECERTIFICATION_STATUSES)[number], { tone: Tone; word: string }> = {
  overdue: { tone: 'danger', word: msg('Overdue') },
  due: { tone: 'warn', word: msg('Due') },
  not_due: { tone: 'ok', word: msg('Not due') },
};

const make = createColumnHelper<Recertification>();

/** Columns of the policies that have to be confirmed. */
export const recertificationColumns = (t: Translate) => [
  make.text('name', t('Policy'), (one) => one.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (one) => <PolicyLink id={one.id} name={one.name} />,
  }),
  make.custom(
    'status',
    t('Status'),
    ({ status }) => (
      <Status tone={RECERTIFICATION_STATES[status].tone}>{t(RECERTIFICATION_STATES[status].word)}</Status>
    ),
    { width: 120, csv: ({ status }) => t(RECERTIFICATION_STATES[status].word) },
  ),
  make.time('due_at', t('Due at'), (one) => one.due_at, { sortable: true }),
  make.text('owner', t('Owner'), (one) => one.owner, { sortable: true, width: 180 }),
  make.text('ticket', t('Ticket'), (one) => one.ticket, {
    width: 120,
    render: (one) => <MaybeLink text={one.ticket} />,
  }),
  make.time('confirmed_at', t('Last confirmed'), (one) => one.confirmed_at, { sortable: true, none: t('Never') }),
  make.text('confirmed_by', t('Confirmed by'), (one) => one.confirmed_by, { width: 160 }),
  make.text('note', t('Note'), (one) => one.note, { hidden: true, width: 200 }),
  make.number('period_days', t('Period in days'), (one) => one.period_days, { hidden: true }),
  make.number('policy_version', t('Version'), (one) => one.policy_version, { hidden: true }),
  make.text('tenant_name', t('Tenant'), (one) => one.tenant_name, { hidden: true, width: 120 }),
  make.text('project_name', t('Project'), (one) => one.project_name, { hidden: true, width: 120 }),
];
