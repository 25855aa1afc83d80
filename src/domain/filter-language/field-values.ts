import type { Condition } from './condition';

type Selection = Extract<Condition, { kind: 'compare' }>;

const listParts = (condition: Condition | null): readonly Condition[] =>
  condition === null ? [] : condition.kind === 'and' ? condition.of : [condition];

const isSelection = (part: Condition, field: string): part is Selection =>
  part.kind === 'compare' && part.field === field && (part.operator === '=' || part.operator === 'in');

/** The values that a condition selects of a field, as chips and buttons set them: in a part that must hold, and not negated. */
export function getFieldValues(condition: Condition | null, field: string): readonly string[] {
  const selection = listParts(condition).find((part): part is Selection => isSelection(part, field));
  return selection?.values ?? [];
}

/** The same condition with other values of a field; without values, the field is not selected by. Null: no condition is left. */
export function setFieldValues(
  condition: Condition | null,
  field: string,
  values: readonly string[],
): Condition | null {
  const parts = [...listParts(condition)];
  const at = parts.findIndex((part) => isSelection(part, field));
  const selection: Selection[] =
    values.length === 0 ? [] : [{ kind: 'compare', field, operator: values.length === 1 ? '=' : 'in', values }];
  parts.splice(at < 0 ? parts.length : at, at < 0 ? 0 : 1, ...selection);
  const [only, ...more] = parts;
  return only === undefined ? null : more.length === 0 ? only : { kind: 'and', of: parts };
}
