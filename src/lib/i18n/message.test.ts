import { IntlMessageFormat } from 'intl-messageformat';
import { expect, it } from 'vitest';
import { listTexts, readSources } from '@/test/i18n/sources';
import { loadCatalog } from './load-catalog';
import { LOCALES } from './locales';
import { createMessageReader } from './message';

/** Numbers around the edges of plurals, and texts that look like messages. */
const NUMBERS = [0, 1, 2, 1_234_567];
const TEXTS = ["{n} <b>it's</b> #", ''];

/** What a message takes, by kind: read from its text, as a message that is wrong takes nothing. */
function valuesFor(text: string, round: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [, name = '', kind] of text.matchAll(/\{\s*(\w+)\s*(?:,\s*(\w+))?/g)) {
    const options = [...text.matchAll(/(\w+)\s*\{/g)].map(([, option]) => option);
    values[name] ??=
      kind === 'select'
        ? options[round % options.length]
        : kind
          ? NUMBERS[round % NUMBERS.length]
          : TEXTS[round % TEXTS.length];
  }
  for (const [, tag = ''] of text.matchAll(/<(\w+)>/g))
    values[tag] = (parts: unknown[]) => `[${tag} ${parts.join('')}]`;
  return values;
}

const texts = [...new Set(readSources().flatMap(listTexts))].filter((text) => /[{<']/.test(text));

it.each(LOCALES)('formats every text of the pages in %s as ICU does', async (locale) => {
  const catalog = await loadCatalog(locale);
  const read = createMessageReader(locale);
  expect(texts.length).toBeGreaterThan(500);
  for (const text of texts) {
    const found = catalog[text] ?? text;
    // A text such as "<token>" has no elements.
    for (const isRich of /<\w/.test(found) && !found.includes('</') ? [false] : [false, true]) {
      const expected = new IntlMessageFormat(found, locale, undefined, { ignoreTag: !isRich });
      const message = read(found, isRich);
      for (let round = 0; round < 4; round += 1) {
        const values = valuesFor(found, round);
        expect(message(values).join(''), found).toBe([expected.format(values as never)].flat().join(''));
      }
    }
  }
});

it('refuses what it does not know', () => {
  const read = createMessageReader('en');
  for (const wrong of ['{n, date}', '{n', '{n, plural, one {x}', '<b>open'])
    expect(() => read(wrong, true), wrong).toThrow();
});
