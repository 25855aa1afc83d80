/** Fields of a policy as people call them, by the path in which a comparison names them. */
export const FIELD_WORDS: Record<string, string> = {
  name: 'Name',
  description: 'Description',
  enabled: 'Enabled',
  priority: 'Priority',
  'definition.enforcement_mode': 'Enforcement',
  'definition.direction': 'Direction',
  'definition.sources': 'From',
  'definition.targets': 'To',
  'definition.default_action': 'What no rule matches',
};

/** A value of a field in words; lists by commas, an empty text made visible. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === '' || value === null || value === undefined) return '(empty)';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
