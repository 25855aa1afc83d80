import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText, matchText, prefixDistance } from './match-text';

const match = (query: string, text: string) => matchText(foldText(query), foldText(text));

/** Every text that one edit makes of another: the definition, tried out. */
function neighbors(text: string, alphabet: string): Set<string> {
  const found = new Set([text]);
  for (let at = 0; at <= text.length; at++) {
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    for (const letter of alphabet) {
      found.add(head + letter + tail);
      if (tail) found.add(head + letter + tail.slice(1));
    }
    if (tail) found.add(head + tail.slice(1));
    if (tail.length > 1) found.add(`${head}${tail[1]}${tail[0]}${tail.slice(2)}`);
  }
  return found;
}

describe('prefixDistance', () => {
  it('finds a beginning within one edit exactly when an edit makes the word one', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (word, other) => {
        const reached = [...neighbors(word, 'abc')].some((near) => other.startsWith(near));
        expect(prefixDistance(word, other, 1) <= 1).toBe(reached);
      }),
      { numRuns: 500 },
    );
  });
});

describe('matchText', () => {
  it.each([
    ['policy', 'Policies'],
    ['polices', 'Policies'],
    ['web-03', 'web-03'],
    ['web 03', 'web-03.example.org'],
    ['web-3', 'web-03'],
    ['wbe-03', 'web-03'],
    ['03 web', 'web-03'],
    ['richtl', 'Richtlinien'],
    ['uber', 'Über uns'],
    ['worklaods', 'Workloads'],
    ['', 'anything'],
  ])('%j finds %j', (query, text) => expect(match(query, text)).not.toBeNull());

  it.each([
    ['pol', 'Rules'],
    ['abc', 'abd'],
    ['web-03', 'web-04'],
    ['web-30', 'web-17'],
    ['settings', 'Sessions'],
    ['nodes', 'Roles'],
  ])('%j does not find %j', (query, text) => expect(match(query, text)).toBeNull());

  it('ranks the same text before a beginning, a beginning before words, and words before typing errors', () => {
    const ranks = ['web 03', 'web 03 old', 'shop web 03', 'wbe 03'].map((text) => match('web-03', text) ?? Number.NaN);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  it('finds every text by each of its words, whatever their order', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom(...'abcäé059'), minLength: 1, maxLength: 9 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, (given) => {
        const text = given.join('-');
        expect(match([...given].reverse().join(' '), text)).not.toBeNull();
        for (const word of given) expect(match(word, text)).not.toBeNull();
      }),
    );
  });
});
