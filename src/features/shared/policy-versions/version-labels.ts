import { formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { MODE_LABELS } from '../enforcement-mode';
import { DEFAULT_LABELS, DIRECTION_LABELS, TIER_LABELS, VISIBILITY_LABELS } from '../tier-labels';

/** Fields of a policy as people call them, by the path in which a comparison names them. */
export const FIELD_LABELS: Record<string, string> = {
  name: msg('Name'),
  description: msg('Description'),
  enabled: msg('Enabled'),
  tier: msg('Evaluation'),
  tenant_visibility: msg('Visible to tenants'),
  priority: msg('Priority'),
  owner: msg('Owner'),
  ticket: msg('Ticket'),
  expires_at: msg('Expires'),
  'definition.enforcement_mode': msg('Enforcement'),
  'definition.direction': msg('Direction'),
  'definition.sources': msg('From'),
  'definition.targets': msg('To'),
  'definition.default_action': msg('Default policy'),
};

/** Fields with a closed set of values, by the words of the form. */
const VALUE_LABELS: Record<string, Record<string, { label: string }>> = {
  tier: TIER_LABELS,
  tenant_visibility: VISIBILITY_LABELS,
  'definition.enforcement_mode': MODE_LABELS,
  'definition.direction': DIRECTION_LABELS,
  'definition.default_action': DEFAULT_LABELS,
};

/** A value of a field as text; lists separated by commas, an empty text made visible. */
export function valueText(t: Translate, field: string, value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (value === '' || value === null || value === undefined) return t('(empty)');
  if (typeof value === 'object') return JSON.stringify(value);
  if (field === 'expires_at') return formatDateTime(String(value));
  const word = VALUE_LABELS[field]?.[String(value)];
  return word ? t(word.label) : String(value);
}
