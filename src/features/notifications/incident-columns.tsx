import type { NotificationIncident } from '@/domain/notifications/incident';
import { objectPage } from '@/domain/notifications/object-page';
import { formatTimesIn } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Status, type Tone } from '@/ui/status';
import { CONDITION_LABELS } from '../shared/notification-labels';

const make = createColumnHelper<NotificationIncident>();

export const INCIDENT_LABELS: Record<NotificationIncident['status'], { word: string; tone: Tone }> = {
  pending: { word: msg('Pending'), tone: 'warn' },
  open: { word: msg('Open'), tone: 'danger' },
  closed: { word: msg('Recovered'), tone: 'off' },
};

export const incidentColumns = (t: Translate) => [
  make.custom(
    'status',
    t('State'),
    ({ status, clear_since }) =>
      status === 'open' && clear_since !== null ? (
        <Status tone="warn">{t('Recovering')}</Status>
      ) : (
        <Status tone={INCIDENT_LABELS[status].tone}>{t(INCIDENT_LABELS[status].word)}</Status>
      ),
    { sortable: true, width: 110, csv: ({ status }) => status },
  ),
  make.text('condition', t('Condition'), ({ condition }) => t(CONDITION_LABELS[condition].label), {
    sortable: true,
    width: 180,
  }),
  make.text('object_name', t('Object'), (incident) => incident.object_name, {
    sortable: true,
    width: 220,
    grow: true,
    render: (incident) => (
      <Link className="link" href={objectPage(incident)}>
        {incident.object_name}
      </Link>
    ),
  }),
  make.text('detail', t('Problem'), (incident) => formatTimesIn(incident.detail), {
    width: 260,
    grow: true,
    render: ({ detail }) => <span title={formatTimesIn(detail)}>{formatTimesIn(detail)}</span>,
  }),
  make.time('first_seen_at', t('First seen'), (incident) => incident.first_seen_at, { sortable: true }),
  make.time('opened_at', t('Reported'), (incident) => incident.opened_at),
  make.time('closed_at', t('Recovered'), (incident) => incident.closed_at),
  make.number('flaps', t('Recurrences'), (incident) => incident.flaps, { hidden: true }),
  make.text('rule_name', t('Rule'), (incident) => incident.rule_name, { hidden: true, width: 150 }),
  make.text('tenant_name', t('Tenant'), (incident) => incident.tenant_name ?? t('Whole installation'), {
    hidden: true,
    width: 150,
  }),
];
