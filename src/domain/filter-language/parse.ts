import { nearestWord } from '../nearest-word';
import type { Condition, Operator } from './condition';
import { OPERATORS, readTokens, type Token } from './tokens';
import { FIELD_NAMES, getValueKind, type ValueKind } from './values';

/**
 * What a text has in place of what it needs. `expected` is what is missing there: a field, an operator, a value of `field`, `and` or `or`,
 * the rest of a list, a closing parenthesis or quote; or the text is too long, has too many values or is nested too deeply.
 */
export type FilterProblem = {
  readonly start: number;
  readonly end: number;
  readonly expected: 'field' | 'operator' | 'value' | 'connective' | 'list' | 'close' | 'quote' | 'shorter';
  /** The text at this place; empty at the end of the text. */
  readonly found: string;
  /** What was probably meant. */
  readonly nearest: string | null;
  /** Whose operator or value is missing. */
  readonly field: string | null;
};

export const MAX_FILTER_TEXT = 2_000;
/** More values make a query that costs too much. */
const MAX_VALUES = 100;
const MAX_DEPTH = 20;

class ProblemFound {
  constructor(readonly problem: FilterProblem) {}
}

/** The operators of a field, as they are offered. */
export const listOperators = (kind: ValueKind | undefined): readonly string[] =>
  kind?.ordered ? ['>', '>=', '<', '<=', '=', '!='] : ['=', '!=', 'in'];

/** Descends through the tokens of one text. Each method reads what its name says, or throws where it is not. */
class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private values = 0;
  private depth = 0;

  constructor(private readonly text: string) {
    this.tokens = readTokens(text);
  }

  parse(): Condition {
    if (this.text.length > MAX_FILTER_TEXT) {
      this.fail('shorter', { start: MAX_FILTER_TEXT, end: this.text.length, found: '' });
    }
    const condition = this.parseOr();
    if (this.current) this.fail('connective', { nearest: this.findNearest(['and', 'or']) });
    return condition;
  }

  private get current(): Token | undefined {
    return this.tokens[this.at];
  }

  private isAt(type: Token['type']): boolean {
    return this.current?.type === type;
  }

  private findNearest = (words: readonly string[]): string | null =>
    this.current?.type === 'word' ? nearestWord(this.current.text.toLowerCase(), words) : null;

  private fail(expected: FilterProblem['expected'], more: Partial<FilterProblem> = {}): never {
    const { start, end } = this.current ?? { start: this.text.length, end: this.text.length };
    const isUnclosed = this.current?.type === 'unclosed';
    throw new ProblemFound({
      start,
      end,
      expected: isUnclosed ? 'quote' : expected,
      found: this.text.slice(start, end).slice(0, 60),
      nearest: null,
      field: null,
      ...more,
    });
  }

  private isKeyword(word: string): boolean {
    const token = this.current;
    return token?.type === 'word' && !token.quoted && token.text.toLowerCase() === word;
  }

  private takeKeyword(word: string): boolean {
    const isThere = this.isKeyword(word);
    if (isThere) this.at += 1;
    return isThere;
  }

  private parseOr(): Condition {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.fail('shorter');
    const parts = [this.parseAnd()];
    while (this.takeKeyword('or')) parts.push(this.parseAnd());
    this.depth -= 1;
    return join('or', parts);
  }

  private parseAnd(): Condition {
    const parts = [this.parsePart()];
    while (this.takeKeyword('and')) parts.push(this.parsePart());
    return join('and', parts);
  }

  private parsePart(): Condition {
    if (this.takeKeyword('not')) {
      this.depth += 1;
      if (this.depth > MAX_DEPTH) this.fail('shorter');
      const of = this.parsePart();
      this.depth -= 1;
      return { kind: 'not', of };
    }
    if (!this.isAt('(')) return this.parseComparison();
    this.at += 1;
    const condition = this.parseOr();
    if (!this.isAt(')')) this.fail('close', { nearest: this.findNearest(['and', 'or']) });
    this.at += 1;
    return condition;
  }

  private parseComparison(): Condition {
    const name = this.current;
    const field = name?.type === 'word' && !name.quoted ? name.text.toLowerCase() : '';
    const kind = getValueKind(field);
    if (!kind) this.fail('field', { nearest: this.findNearest(FIELD_NAMES) });
    this.at += 1;
    const isNegated = this.takeKeyword('not');
    if (this.isKeyword('in')) {
      if (kind.ordered) this.fail('operator', { field });
      this.at += 1;
      const listed: Condition = { kind: 'compare', field, operator: 'in', values: this.parseList(field, kind) };
      return isNegated ? { kind: 'not', of: listed } : listed;
    }
    const operator = this.parseOperator(field, kind, isNegated);
    const values = this.parseValue(field, kind);
    const [only = '', ...more] = values;
    if (more.length === 0) return { kind: 'compare', field, operator, values: [only] };
    const any: Condition = { kind: 'compare', field, operator: 'in', values };
    return operator === '!=' ? { kind: 'not', of: any } : any;
  }

  private parseOperator(field: string, kind: ValueKind, isNegated: boolean): Operator {
    const operator =
      this.current?.type === 'operator' ? OPERATORS.find((one) => one === this.current?.text) : undefined;
    if (isNegated) this.fail('operator', { field, nearest: 'in' });
    if (!operator || !listOperators(kind).includes(operator)) this.fail('operator', { field });
    this.at += 1;
    return operator;
  }

  private parseList(field: string, kind: ValueKind): string[] {
    if (!this.isAt('(')) this.fail('list', { field });
    const values: string[] = [];
    do {
      this.at += 1;
      values.push(...this.parseValue(field, kind));
    } while (this.isAt(','));
    if (!this.isAt(')')) this.fail('list', { field });
    this.at += 1;
    return [...new Set(values)];
  }

  private parseValue(field: string, kind: ValueKind): readonly string[] {
    const token = this.current;
    const isValue = token?.type === 'word' && (token.quoted || !/^(and|or|not|in)$/i.test(token.text));
    if (!isValue) this.fail('value', { field });
    const values = this.readWithUnit(token, kind) ?? kind.read(token.text);
    if (!values) this.fail('value', { field, nearest: this.findNearest(kind.examples) });
    this.values += values.length;
    if (this.values > MAX_VALUES) this.fail('shorter');
    this.at += 1;
    return values;
  }

  /** An amount with its unit in the next word. */
  private readWithUnit(token: Token, kind: ValueKind): readonly string[] | null {
    const unit = this.tokens[this.at + 1];
    if (!kind.units || unit?.type !== 'word' || !/^[\d.]+$/.test(token.text)) return null;
    const values = Object.keys(kind.units).some((name) => name.toLowerCase() === unit.text.toLowerCase())
      ? kind.read(`${token.text}${unit.text}`)
      : null;
    if (values) this.at += 1;
    return values;
  }
}

const join = (kind: 'and' | 'or', parts: readonly Condition[]): Condition => {
  const [only, ...more] = parts;
  return only && more.length === 0 ? only : { kind, of: parts };
};

/** Reads a text such as `client = group:web and service = tcp/5432 and bytes > 1GB`; else the first problem of it, with its place. */
export function parseFilter(text: string): { condition: Condition } | { problem: FilterProblem } {
  try {
    return { condition: new Parser(text).parse() };
  } catch (thrown) {
    if (thrown instanceof ProblemFound) return { problem: thrown.problem };
    throw thrown;
  }
}
