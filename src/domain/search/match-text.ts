/** Lower case without accents; every run of other characters than letters and digits is one space. */
export function foldText(text: string): string {
  // Most names are ASCII, and thousands of them are compared for one search.
  if (ASCII.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const ASCII = /^[\x20-\x7e]*$/;

/** Typing errors that a word of this length may have. Short words have too many neighbors. */
const getMaxTypos = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2);

/** A wrong digit names another thing (`web-03`, `web-04`) rather than being a typing error. */
const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const DIGIT = 3;
const getSubstitutionCost = (one: string | undefined, other: string | undefined) =>
  one === other ? 0 : isDigit(one) && isDigit(other) ? DIGIT : 1;

/** Which characters a text has, as a set of 32 bits; some share a bit. */
function toCharacterMask(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/**
 * Edits from `word` to the nearest beginning of `text`: inserted, missing and replaced characters, and neighbors in the wrong
 * order (optimal string alignment). Infinity when more than `most` are needed; `most` is at most 2. Each character
 * that only the word has takes an edit, which rules out most texts without computing the distance.
 */
export function prefixDistance(word: string, text: string, most: number): number {
  if (countBits(toCharacterMask(word) & ~toCharacterMask(text)) > most) return Number.POSITIVE_INFINITY;
  // More than `most` characters beyond the word cannot make the beginning nearer.
  const width = Math.min(text.length, word.length + most);
  let before: number[] = Array(width + 1).fill(0);
  let above = Array.from({ length: width + 1 }, (_, i) => i);
  let here: number[] = Array(width + 1).fill(0);
  let least = 0;
  for (let row = 1; row <= word.length; row++) {
    const typed = word[row - 1];
    const left = isDigit(typed) ? DIGIT : 1;
    here[0] = (above[0] ?? 0) + left;
    least = here[0];
    for (let at = 1; at <= width; at++) {
      const meant = text[at - 1];
      let edits = Math.min(
        (above[at] ?? 0) + left,
        (here[at - 1] ?? 0) + 1,
        (above[at - 1] ?? 0) + getSubstitutionCost(typed, meant),
      );
      const swapped = row > 1 && at > 1 && typed === text[at - 2] && word[row - 2] === meant && !isDigit(typed);
      if (swapped) edits = Math.min(edits, (before[at - 2] ?? 0) + 1);
      here[at] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    [before, above, here] = [above, here, before];
  }
  return least;
}

/** How well a text matches, best first. */
const EXACT = 0;
const BEGINS = 1;
const WORDS = 2;
const TYPO = 10;

/**
 * How well a text matches a query, both folded: 0 is the same text, higher is worse, null does not match. Every word of the
 * query has to begin a word of the text, in any order; words of four letters or more may have a typing error.
 */
export function matchText(query: string, text: string): number | null {
  if (query === '' || query === text) return EXACT;
  if (text.startsWith(query)) return BEGINS;
  const words = text.split(' ');
  let edits = 0;
  for (const requested of query.split(' ')) {
    if (words.some((word) => word.startsWith(requested))) continue;
    const most = getMaxTypos(requested);
    const least = most === 0 ? Number.POSITIVE_INFINITY : nearest(requested, words, most);
    if (least > most) return joined(query, text);
    edits += least;
  }
  return edits === 0 ? WORDS : TYPO + edits;
}

function nearest(requested: string, words: readonly string[], most: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const word of words) least = Math.min(least, prefixDistance(requested, word, most));
  return least;
}

/** The same without spaces: "web3" against "web 03" differs by one character, although no single word matches. */
function joined(query: string, text: string): number | null {
  const word = query.replaceAll(' ', '');
  const edits = prefixDistance(word, text.replaceAll(' ', ''), getMaxTypos(word));
  return edits === Number.POSITIVE_INFINITY ? null : TYPO + 2 + edits;
}
