import { z } from 'zod';
import type { Condition } from './condition';
import { type FilterProblem, listOperators, MAX_FILTER_TEXT, parseFilter } from './parse';
import { FIELD_NAMES, getValueKind } from './values';

function describeExpected({ expected, field }: FilterProblem): string {
  const kind = getValueKind(field ?? '');
  switch (expected) {
    case 'field':
      return `a field, one of ${FIELD_NAMES.join(', ')}`;
    case 'operator':
      return `one of ${listOperators(kind).join(' ')} after ${field}`;
    case 'value':
      return `a value of ${field}, such as ${kind?.examples.slice(0, 3).join(' or ')}`;
    case 'connective':
      return 'and, or, or the end of the text';
    case 'list':
      return 'a list such as (a, b)';
    case 'close':
      return 'a closing parenthesis';
    case 'quote':
      return 'a closing quotation mark';
    case 'shorter':
      return `at most ${MAX_FILTER_TEXT} characters, 100 values and 20 levels of parentheses`;
  }
}

/** What is wrong with a text, where, and what to write instead. Places are counted from 1. */
export function describeProblem(problem: FilterProblem): string {
  const found = problem.found === '' ? 'the end of the text' : JSON.stringify(problem.found);
  const nearest = problem.nearest === null ? '' : ` Did you mean ${problem.nearest}?`;
  return `At character ${problem.start + 1}: expected ${describeExpected(problem)}, found ${found}.${nearest}`;
}

/** A text of the filter language as the API takes it: the condition that it means. */
export const FilterText = z
  .string()
  .transform((text, context): Condition | undefined => {
    if (text.trim() === '') return undefined;
    const parsed = parseFilter(text);
    if ('condition' in parsed) return parsed.condition;
    context.addIssue({ code: 'custom', message: describeProblem(parsed.problem) });
    return z.NEVER;
  })
  .optional();
