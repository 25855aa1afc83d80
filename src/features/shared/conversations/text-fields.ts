import type { Condition } from '@/domain/filter-language/condition';
import { getFieldValues, setFieldValues } from '@/domain/filter-language/field-values';
import { formatCondition } from '@/domain/filter-language/format';
import { parseFilter } from '@/domain/filter-language/parse';
import { FIELDS, type Field } from '@/domain/filter-language/values';
import { ACTIONS } from '@/domain/flow-action';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { FilterField } from '@/ui/filter/filter-field';
import { ACTION_LABELS } from '../verdict-labels';

const LABELS = {
  client: msg('Client'),
  server: msg('Server'),
  end: msg('Client or server'),
  service: msg('Service'),
  action: msg('Action'),
  node: msg('Node'),
  cluster: msg('Cluster'),
} as const satisfies Partial<Record<Field, string>>;

/** Fields of the filter that have a chip of their own. */
const CHIPS = Object.keys(LABELS) as (keyof typeof LABELS)[];

/** The condition of a text; null for none, undefined for a text with an error, which only the field itself can change. */
function readCondition(text: string): Condition | null | undefined {
  if (text.trim() === '') return null;
  const parsed = parseFilter(text);
  return 'condition' in parsed ? parsed.condition : undefined;
}

/** Another text, with other values of one field; the text itself where it has an error. */
export function replaceValues(text: string, field: Field, values: readonly string[]): string {
  const condition = readCondition(text);
  if (condition === undefined) return text;
  const next = setFieldValues(condition, field, values);
  return next === null ? '' : formatCondition(next);
}

/** The filter as chips: what they set is written into the text. */
export function listTextFields(t: Translate, text: string, onTextChange: (text: string) => void): FilterField[] {
  const condition = readCondition(text);
  if (condition === undefined) return [];
  return CHIPS.map((field): FilterField => {
    const label = t(LABELS[field]);
    const value = getFieldValues(condition, field);
    const set = (values: readonly string[]) => onTextChange(replaceValues(text, field, values));
    if (field === 'action') {
      const options = ACTIONS.map((action) => ({ value: action, label: t(ACTION_LABELS[action].label) }));
      return { id: field, label, value, options, onValueChange: set };
    }
    const { examples } = FIELDS[field];
    return {
      id: field,
      label,
      value,
      options: [],
      // A typed value replaces the former ones.
      onValueChange: ([typed]) => set(typed === undefined ? [] : (FIELDS[field].read(typed) ?? [])),
      typed: {
        placeholder: examples[0] ?? '',
        check: (typed) =>
          FIELDS[field].read(typed)
            ? null
            : t('Enter a value such as {example}.', { example: examples.slice(0, 3).join(', ') }),
      },
    };
  });
}
