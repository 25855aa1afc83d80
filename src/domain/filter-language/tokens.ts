/** A part of a text of the filter language. `text` is a word without its quotes; `bad` is a character that begins nothing. */
export type Token = {
  readonly type: 'word' | 'operator' | '(' | ')' | ',' | 'bad' | 'unclosed';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether any of it is in quotes: then it is no keyword. */
  readonly quoted: boolean;
};

export const OPERATORS = ['=', '!=', '<=', '>=', '<', '>'] as const;
export const KEYWORDS: readonly string[] = ['and', 'or', 'not', 'in'];

const isBlank = (character: string) => /\s/u.test(character);
const BREAKS = /[\s(),=<>!"]/u;

/** Reads a word, of which any part may be in quotes: `group:"web servers"`. */
function readWord(text: string, start: number): Token {
  let word = '';
  let quoted = false;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character !== '"') {
      if (BREAKS.test(character)) break;
      word += character;
      at += 1;
      continue;
    }
    quoted = true;
    at += 1;
    while (at < text.length && text.charAt(at) !== '"') {
      if (text.charAt(at) === '\\' && at + 1 < text.length) at += 1;
      word += text.charAt(at);
      at += 1;
    }
    if (at >= text.length) return { type: 'unclosed', text: word, start, end: at, quoted };
    at += 1;
  }
  return { type: 'word', text: word, start, end: at, quoted };
}

/** The parts of a text. Together with the blanks between them they are all of it; nothing is refused here. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (isBlank(character)) {
      at += 1;
      continue;
    }
    const operator = OPERATORS.find((one) => text.startsWith(one, at));
    const token: Token =
      operator !== undefined
        ? { type: 'operator', text: operator, start: at, end: at + operator.length, quoted: false }
        : character === '(' || character === ')' || character === ','
          ? { type: character, text: character, start: at, end: at + 1, quoted: false }
          : character === '!'
            ? { type: 'bad', text: character, start: at, end: at + 1, quoted: false }
            : readWord(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** A value as it is written: in quotes where it would read as something else. */
export const quoteWord = (word: string): string =>
  word === '' || BREAKS.test(word) || KEYWORDS.includes(word.toLowerCase())
    ? `"${word.replaceAll(/["\\]/g, '\\$&')}"`
    : word;
