import { msg, type Translate } from '@/lib/i18n/translator';
/** Fields of a policy as people call them, by the path in which a comparison names them. */
export const FIELD_WORDS: Record<string, string> = {
  name: msg('Name'),
  description: msg('Description'),
  enabled: msg('Enabled'),
  tier: msg('Evaluation'),
  tenant_visibility: msg('Visible to tenants'),
  priority: msg('Priority'),
  'definition.enforcement_mode': msg('Enforcement'),
  'definition.direction': msg('Direction'),
  'definition.sources': msg('From'),
  'definition.targets': msg('To'),
  'definition.default_action': msg('What no rule matches'),
};

/** A value of a field in words; lists by commas, an empty text made visible. */
export function valueText(t: Translate, value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (value === '' || value === null || value === undefined) return t('(empty)');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
