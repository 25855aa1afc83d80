import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '@/lib/i18n/load-catalog';
import { LOCALES, type Locale } from '@/lib/i18n/locales';
import { getTextAreas, listTexts, ROOT, readSources } from './sources';

type Node = { type: number; value?: unknown; options?: Record<string, { value: Node[] }>; children?: Node[] };
const TAG = 8;

/** Names of the values and tags of a message. */
function namesIn(nodes: readonly Node[], found = new Set<string>()): Set<string> {
  for (const node of nodes) {
    if (node.type !== 0 && typeof node.value === 'string')
      found.add(node.type === TAG ? `<${node.value}>` : node.value);
    for (const option of Object.values(node.options ?? {})) namesIn(option.value, found);
    namesIn(node.children ?? [], found);
  }
  return found;
}

/** What a message takes, or why it is none. */
function describeArguments(text: string, locale: Locale): string {
  try {
    const nodes = new IntlMessageFormat(text, locale).getAst() as unknown as Node[];
    return [...namesIn(nodes)].sort().join(' ');
  } catch (error) {
    return `not a message: ${error}`;
  }
}

const shown = new Map(readSources().flatMap((source) => listTexts(source).map((text) => [text, source.path] as const)));
const areas = getTextAreas();
const isMessage = (text: string) => /[{}<]/.test(text);

describe.each(LOCALES.filter((locale) => locale !== 'en'))('the catalog of %s', (locale) => {
  const folder = join(ROOT, 'src/lib/i18n/catalogs', locale);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const entries = files.flatMap((name) =>
    Object.entries<string>(JSON.parse(readFileSync(join(folder, name), 'utf8'))).map(([text, translation]) => ({
      text,
      translation,
      name,
    })),
  );

  it('has every text of the pages', async () => {
    const catalog = await loadCatalog(locale);
    expect([...shown].filter(([text]) => !(text in catalog)).map(([text, path]) => `${path}: ${text}`)).toEqual([]);
  });

  it('has no text that no page says', () => {
    expect(entries.filter(({ text }) => !shown.has(text)).map(({ text, name }) => `${name}: ${text}`)).toEqual([]);
  });

  it('has each text once, in the file of its area', () => {
    const wrong = entries.filter(({ text, name }) => name !== `${areas.get(text)}.json`);
    expect(wrong.map(({ text, name }) => `${name} → ${areas.get(text)}.json: ${text}`)).toEqual([]);
  });

  it('takes the values and elements that the English takes', () => {
    const wrong = entries.filter(
      ({ text, translation }) =>
        isMessage(text) && describeArguments(text, 'en') !== describeArguments(translation, locale),
    );
    expect(wrong.map(({ text, translation, name }) => `${name}: ${text} → ${translation}`)).toEqual([]);
  });

  it('leaves nothing empty', () => {
    expect(entries.filter(({ translation }) => translation.trim() === '')).toEqual([]);
  });
});
