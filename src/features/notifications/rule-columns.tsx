import type { NotificationRule } from '@/domain/notifications/rule';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { Status } from '@/ui/status';
import { CONDITION_WORDS } from '../shared/notification-words';

const make = columnsOf<NotificationRule>();

const conditionsText = (rule: NotificationRule) =>
  rule.conditions.map((condition) => CONDITION_WORDS[condition].label).join(', ');
const waysText = (rule: NotificationRule) =>
  [
    ...(rule.in_app ? ['Bell'] : []),
    ...rule.channels.map(({ name, enabled }) => (enabled ? name : `${name} (off)`)),
  ].join(', ');

export const RULE_COLUMNS = [
  make.text('name', 'Name', (rule) => rule.name, { sortable: true, width: 170, grow: true }),
  make.custom(
    'enabled',
    'State',
    (rule) => (rule.enabled ? <Status tone="ok">On</Status> : <Status tone="off">Off</Status>),
    { width: 80, csv: (rule) => (rule.enabled ? 'On' : 'Off') },
  ),
  make.custom(
    'incidents_open',
    'Open',
    (rule) =>
      rule.incidents_open > 0 ? (
        <Badge tone="danger">{rule.incidents_open}</Badge>
      ) : (
        <span className="text-faint">None</span>
      ),
    { width: 80, csv: (rule) => rule.incidents_open },
  ),
  make.text('conditions', 'Reports', conditionsText, { width: 230, grow: true }),
  make.text('ways', 'To', waysText, { width: 180, grow: true }),
  make.text('tenant_name', 'Tenant', (rule) => rule.tenant_name ?? 'Whole installation', { width: 150 }),
  make.number('open_after_minutes', 'After', (rule) => rule.open_after_minutes, {
    width: 80,
    format: (value) => `${value} min`,
  }),
  make.number('close_after_minutes', 'Over after', (rule) => rule.close_after_minutes, {
    width: 100,
    hidden: true,
    format: (value) => `${value} min`,
  }),
  make.time('updated_at', 'Changed', (rule) => rule.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', 'Created', (rule) => rule.created_at, { sortable: true, hidden: true, width: 110 }),
];
