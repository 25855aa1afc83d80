import { nearestWord } from '../nearest-word';
import { listOperators, parseFilter } from './parse';
import { quoteWord, readTokens } from './tokens';
import { FIELD_NAMES, getValueKind, type ValueKind } from './values';

/** What can be written at a place of a text, in place of what is written there from `from` to `to`. */
export type Completion = {
  readonly from: number;
  readonly to: number;
  /** What is written there so far, without quotes. */
  readonly typed: string;
  readonly kind: 'field' | 'operator' | 'value' | 'connective';
  readonly field: string | null;
  /** Names of what the service knows can be added to the options. */
  readonly named: ValueKind['named'] | null;
  readonly options: readonly string[];
};

/** The network that begins with the numbers typed so far. */
function completeAddress(typed: string): string[] {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,3}){0,3})\.?$/.exec(typed) ?? [];
  const numbers = digits?.split('.') ?? [];
  if (numbers.length === 0 || numbers.some((number) => Number(number) > 255)) return [];
  const padded = [...numbers.map(Number), 0, 0, 0].slice(0, 4).join('.');
  return numbers.length === 4 ? [padded] : [`${padded}/${numbers.length * 8}`];
}

/** A comparison with `<` or `>` of a number can have a unit. */
const withUnits = (typed: string, { units }: ValueKind): string[] =>
  units && /^\d+$/.test(typed) ? Object.keys(units).map((unit) => `${typed}${unit}`) : [];

function listValues(typed: string, kind: ValueKind): string[] {
  const addresses = kind.examples.some((example) => example.includes('.')) ? completeAddress(typed) : [];
  return [...withUnits(typed, kind), ...addresses, ...kind.examples.map(quoteWord)].filter((text) =>
    kind.read(text.replaceAll('"', '')),
  );
}

/** Those that begin like what is typed; with none, the nearest ones, so that every text can be continued. */
function selectOptions(typed: string, options: readonly string[]): string[] {
  const lower = typed.toLowerCase();
  const matching = [...new Set(options)].filter((option) => option.toLowerCase().replace(/^"/, '').startsWith(lower));
  if (matching.length > 0) return matching;
  const nearest = nearestWord(lower, options);
  return nearest === null ? [...new Set(options)] : [nearest];
}

const CLOSING = [',', ')'];

/**
 * What can be written at the cursor. What follows the cursor is ignored. Null where the text before it has an error: what is
 * wrong there comes first.
 */
export function completeFilter(text: string, cursor: number): Completion | null {
  const before = text.slice(0, cursor);
  const last = readTokens(before).at(-1);
  const isPartial = last !== undefined && last.end === before.length && ['word', 'unclosed', 'bad'].includes(last.type);
  const from = isPartial ? last.start : before.length;
  const typed = isPartial ? last.text : '';
  const head = before.slice(0, from);
  const make = (kind: Completion['kind'], options: readonly string[], field: string | null = null): Completion => ({
    ...{ from, to: cursor, typed, kind, field },
    named: kind === 'value' && field !== null ? (getValueKind(field)?.named ?? null) : null,
    options: selectOptions(typed, options),
  });
  const read = head.trim() === '' ? null : parseFilter(head);
  if (read === null) return make('field', [...FIELD_NAMES, 'not', '(']);
  if ('condition' in read) return make('connective', ['and', 'or']);
  const { problem } = read;
  if (problem.start < head.trimEnd().length) return null;
  const kind = problem.field === null ? undefined : getValueKind(problem.field);
  switch (problem.expected) {
    case 'field':
      return make('field', [...FIELD_NAMES, 'not', '(']);
    case 'operator':
      // After `not` only a list can follow.
      return make('operator', problem.nearest === 'in' ? ['in'] : listOperators(kind), problem.field);
    case 'value':
      return kind ? make('value', listValues(typed, kind), problem.field) : null;
    case 'list':
      return make('connective', /\sin$/i.test(head.trimEnd()) ? ['('] : CLOSING, problem.field);
    case 'close':
      return make('connective', [')', 'and', 'or']);
    default:
      return null;
  }
}
