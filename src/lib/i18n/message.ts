import type { Locale } from './locales';

/** A piece of a message. `#` is the number of the plural around it. */
type Piece =
  | string
  | { kind: 'value' | 'number' | 'hash'; name: string }
  | { kind: 'plural' | 'select'; name: string; options: Readonly<Record<string, readonly Piece[]>> }
  | { kind: 'tag'; name: string; children: readonly Piece[] };

/** What a message comes to: text, and whatever else was among its values. */
export type Formatted = readonly unknown[];
type Values = Readonly<Record<string, unknown>>;

const NAME = /=?[\w-]+/y;
const SPACE = /\s*/y;

/** Reads the part of ICU messages that the catalogs use: values, numbers, `plural`, `select`, and tags if asked for. */
class Reader {
  readonly #text: string;
  readonly #hasTags: boolean;
  #at = 0;

  constructor(text: string, hasTags: boolean) {
    this.#text = text;
    this.#hasTags = hasTags;
  }

  /** Up to the end, or to the brace or closing tag that ends what is around. */
  pieces(plural: string | null, end: '' | '}' | '</'): Piece[] {
    const pieces: Piece[] = [];
    let text = '';
    const push = (piece: Piece) => {
      if (text) pieces.push(text);
      text = '';
      pieces.push(piece);
    };
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at, this.#at + 2);
      if (end && rest.startsWith(end)) break;
      const char = rest[0] as string;
      if (char === '{') push(this.#argument(plural));
      else if (char === '#' && plural !== null) {
        this.#at += 1;
        push({ kind: 'hash', name: plural });
      } else if (char === '<' && this.#hasTags && /[a-z]/i.test(rest[1] ?? '')) push(this.#tag(plural));
      else {
        // Two apostrophes are one.
        this.#at += rest === "''" ? 2 : 1;
        text += char;
      }
    }
    if (text) pieces.push(text);
    return pieces;
  }

  #tag(plural: string | null): Piece {
    this.#take('<');
    const name = this.#match(NAME);
    this.#take('>');
    const children = this.pieces(plural, '</');
    for (const part of ['</', name, '>']) this.#take(part);
    return { kind: 'tag', name, children };
  }

  #argument(plural: string | null): Piece {
    this.#take('{');
    const name = this.#word();
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return { kind: 'value', name };
    }
    this.#take(',');
    const kind = this.#word();
    if (kind === 'number') {
      this.#take('}');
      return { kind, name };
    }
    if (kind !== 'plural' && kind !== 'select') throw new SyntaxError(`unknown kind ${kind} in: ${this.#text}`);
    this.#take(',');
    const options: Record<string, readonly Piece[]> = {};
    for (;;) {
      const option = this.#word();
      if (!option) break;
      this.#take('{');
      options[option] = this.pieces(kind === 'plural' ? name : plural, '}');
      this.#take('}');
    }
    this.#take('}');
    return { kind, name, options };
  }

  #word(): string {
    this.#match(SPACE);
    const word = this.#match(NAME);
    this.#match(SPACE);
    return word;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #take(expected: string): void {
    if (!this.#text.startsWith(expected, this.#at))
      throw new SyntaxError(`expected ${expected} at ${this.#at} of: ${this.#text}`);
    this.#at += expected.length;
  }
}

/** A message in a language, ready to be formatted with values. */
export type Message = (values: Values) => Formatted;

/** Makes the messages of a language. They share the formats of numbers and plurals, which are expensive to make. */
export function createMessageReader(locale: Locale): (text: string, hasTags: boolean) => Message {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (value: unknown) => numbers.format(Number(value));
  const format = (pieces: readonly Piece[], values: Values): unknown[] =>
    pieces.flatMap((piece): unknown[] => {
      if (typeof piece === 'string') return [piece];
      const value = values[piece.name];
      switch (piece.kind) {
        case 'value':
          return value === null || value === undefined || value === false ? [] : [value];
        case 'number':
        case 'hash':
          return [number(value)];
        case 'tag': {
          const children = format(piece.children, values);
          return [typeof value === 'function' ? value(children) : children].flat();
        }
        default: {
          const { options } = piece;
          const isPlural = piece.kind === 'plural';
          const chosen =
            (isPlural && options[`=${value}`]) || options[isPlural ? plurals.select(Number(value)) : String(value)];
          return format(chosen ?? options.other ?? [], values);
        }
      }
    });
  return (text, hasTags) => {
    const pieces = new Reader(text, hasTags).pieces(null, '');
    return (values) => format(pieces, values);
  };
}
