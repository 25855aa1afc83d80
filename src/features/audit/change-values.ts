import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { SecurityRule } from '@/domain/policies';
import { formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { formatWindow, ON_EXPIRY_LABELS, SCOPE_LABELS } from '../shared/change-rule-labels';
import { DEPLOYMENT_RUN_LABELS, KIND_LABELS as RUN_KINDS, TRIGGER_LABELS } from '../shared/deployment-run-labels';
import { MODE_LABELS } from '../shared/enforcement-mode';
import { ADDRESS_STATE_LABELS } from '../shared/ipam/address-state';
import { CONDITION_LABELS } from '../shared/notification-labels';
import { PERMISSION_LABELS } from '../shared/permissions/permission-labels';
import { securityRuleText } from '../shared/security-rule-labels';
import { DEFAULT_LABELS, DIRECTION_LABELS, TIER_LABELS, VISIBILITY_LABELS } from '../shared/tier-labels';
import { type Fields, isFields } from './change-diff';
import { fieldLabel, labelIn } from './change-labels';

/** Names of things by their ids, as far as the reader may see them. */
export type Names = ReadonlyMap<string, string>;

const toLabels = (labels: Readonly<Record<string, { label: string } | { word: string }>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).map(([value, label]) => [value, 'label' in label ? label.label : label.word]),
  );

/** Values of fields that have a closed set of them, as the forms call them. */
const VALUE_LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  approval_scope: SCOPE_LABELS,
  change_approval_scope: SCOPE_LABELS,
  conditions: toLabels(CONDITION_LABELS),
  default_action: toLabels(DEFAULT_LABELS),
  direction: toLabels(DIRECTION_LABELS),
  enforcement_mode: toLabels(MODE_LABELS),
  kind: RUN_KINDS,
  permissions: { ...PERMISSION_LABELS, '*': msg('All permissions, including future ones') },
  state: toLabels(ADDRESS_STATE_LABELS),
  status: toLabels(DEPLOYMENT_RUN_LABELS),
  tenant_visibility: toLabels(VISIBILITY_LABELS),
  tier: toLabels(TIER_LABELS),
  trigger: TRIGGER_LABELS,
  on_expiry: ON_EXPIRY_LABELS,
  policy_on_expiry: ON_EXPIRY_LABELS,
  on_move: { remove: msg('Remove rules'), keep: msg('Keep until removed manually') },
  rule_placement: { above: msg('Before unmanaged rules'), below: msg('After unmanaged rules') },
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const isRule = (value: Fields): value is SecurityRule =>
  ['action', 'protocol', 'destination_ports', 'source_ports', 'log', 'enabled'].every((field) => field in value);

const isWindow = (value: Fields): value is MaintenanceWindow =>
  ['days', 'from', 'minutes', 'time_zone'].every((field) => field in value);

/** An assigned role, or the role of a sign-in provider's group: its scope and when it expires. */
function roleText(t: Translate, entry: Fields, names: Names): string {
  const text = (field: string) => valueText(t, [field], entry[field], names);
  const place = (['project', 'project_id', 'tenant', 'tenant_id'] as const).find(
    (field) => typeof entry[field] === 'string',
  );
  const parts = [
    ...(entry.group === undefined ? [] : [text('group')]),
    text('role'),
    place ? text(place) : t('Whole installation'),
    ...(typeof entry.expires_at === 'string' ? [t('until {time}', { time: formatDateTime(entry.expires_at) })] : []),
  ];
  return parts.join(' · ');
}

/** An object in one line. */
function fieldsText(t: Translate, value: Fields, names: Names): string {
  if (isRule(value)) return securityRuleText(t, value);
  if (isWindow(value)) return formatWindow(t, value);
  if ('role' in value && ('tenant_id' in value || 'tenant' in value)) return roleText(t, value, names);
  if (typeof value.name === 'string') return value.name;
  const shown = Object.entries(value).filter(([, inner]) => inner !== null && inner !== '');
  return shown.map(([field, inner]) => `${fieldLabel(t, [field])}: ${valueText(t, [field], inner, names)}`).join('; ');
}

/** A value as the console shows it: labels of choices, names instead of ids, times in the reader's zone. */
export function valueText(t: Translate, path: readonly string[], value: unknown, names: Names): string {
  if (value === undefined) return '';
  if (value === null || value === '') return t('(empty)');
  if (Array.isArray(value)) {
    return value.length === 0 ? t('(empty)') : value.map((entry) => valueText(t, path, entry, names)).join(', ');
  }
  if (isFields(value)) return fieldsText(t, value, names) || t('(empty)');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (typeof value === 'number') return String(value);
  const text = String(value);
  if (text === '[redacted]') return t('(hidden)');
  const field = path.at(-1) ?? '';
  const labels = VALUE_LABELS[field];
  const label = labels && labelIn(labels, text);
  if (label !== undefined) return t(label);
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return formatDateTime(text);
  // An endpoint may name a group by its id.
  const [, prefix = '', id = ''] = /^([a-z]+:)?([0-9a-f-]{36})$/.exec(text) ?? [];
  const name = names.get(id);
  return name === undefined ? text : `${prefix}${name}`;
}
