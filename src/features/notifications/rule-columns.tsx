import type { NotificationRule } from '@/domain/notifications/rule';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { CONDITION_LABELS } from '../shared/notification-labels';

const make = createColumnHelper<NotificationRule>();

const conditionsText = (t: Translate, rule: NotificationRule) =>
  rule.conditions.map((condition) => t(CONDITION_LABELS[condition].label)).join(', ');
const channelsText = (t: Translate, rule: NotificationRule) =>
  [
    ...(rule.in_app ? [t('Bell')] : []),
    ...rule.channels.map(({ name, enabled }) => (enabled ? name : t('{name} (disabled)', { name }))),
  ].join(', ');

// A sense keeps words apart that are one in English only.
export const ruleColumns = (t: Translate) => [
  make.text('name', t('Name'), (rule) => rule.name, { sortable: true, width: 170, grow: true }),
  make.custom(
    'enabled',
    t('State'),
    (rule) => (rule.enabled ? <Status tone="ok">{t('On')}</Status> : <Status tone="off">{t('Off')}</Status>),
    { width: 80, csv: (rule) => (rule.enabled ? t('On') : t('Off')) },
  ),
  make.custom(
    'incidents_open',
    t('Open'),
    (rule) =>
      rule.incidents_open > 0 ? (
        <Badge tone="danger">{rule.incidents_open}</Badge>
      ) : (
        <span className="text-faint">{t('None')}</span>
      ),
    { width: 72, csv: (rule) => rule.incidents_open },
  ),
  make.text('conditions', t('Conditions'), (rule) => conditionsText(t, rule), { width: 200, grow: true }),
  make.text('ways', t('{sense, select, other {To}}', { sense: 'receiver' }), (rule) => channelsText(t, rule), {
    width: 160,
    grow: true,
  }),
  make.text('tenant_name', t('Tenant'), (rule) => rule.tenant_name ?? t('Whole installation'), { width: 140 }),
  make.number(
    'open_after_minutes',
    t('{sense, select, other {Delay}}', { sense: 'wait' }),
    (rule) => rule.open_after_minutes,
    { format: (value) => `${value} min` },
  ),
  make.number('close_after_minutes', t('Recovered after'), (rule) => rule.close_after_minutes, {
    hidden: true,
    format: (value) => `${value} min`,
  }),
  make.time('updated_at', t('Changed'), (rule) => rule.updated_at, { sortable: true }),
  make.time('created_at', t('Created'), (rule) => rule.created_at, { sortable: true, hidden: true }),
];
