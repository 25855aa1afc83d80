import type { Condition } from './condition';
import { quoteWord } from './tokens';
import { getValueKind } from './values';

const formatValue = (field: string, value: string): string => quoteWord(getValueKind(field)?.write?.(value) ?? value);

function formatPart(part: Condition, within: Condition['kind']): string {
  const text = formatCondition(part);
  if (part.kind === 'compare' || part.kind === 'not') return text;
  return within === 'or' && part.kind === 'and' ? text : `(${text})`;
}

/** The canonical text of a condition. Parsing it gives the same condition. */
export function formatCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.map((part) => formatPart(part, condition.kind)).join(` ${condition.kind} `);
    case 'not':
      return `not ${formatPart(condition.of, 'not')}`;
    case 'compare': {
      const { field, operator, values } = condition;
      const written = values.map((value) => formatValue(field, value));
      return operator === 'in' ? `${field} in (${written.join(', ')})` : `${field} ${operator} ${written.join('')}`;
    }
  }
}
