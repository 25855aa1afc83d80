import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll(/^```.*?^```/gms, '');

/** The files and headings that a document links to. */
const listLinks = (path: string) =>
  [...read(path).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => {
    const [file = '', anchor = null] = target.split('#');
    return { target, file: file === '' ? path : relative(root, join(root, dirname(path), file)), anchor };
  });

/** Anchors as GitHub makes them of headings. */
const listAnchors = (path: string) =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The English texts of the console. In the guides a capital and italics make a quote of one, `›` the way to it. */
const catalogs = join(root, 'src/lib/i18n/catalogs/de');
const messages = new Set(
  readdirSync(catalogs)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => Object.keys(JSON.parse(readFileSync(join(catalogs, name), 'utf8')))),
);

describe('the documentation', () => {
  it.each(documents)('%s links to files and headings that exist', (path) => {
    const broken = listLinks(path).filter(
      ({ file, anchor }) => !existsSync(join(root, file)) || (anchor !== null && !listAnchors(file).includes(anchor)),
    );
    expect(broken.map(({ target }) => target)).toEqual([]);
  });

  it.each(['docs/README.md', 'docs/decisions/README.md'])('%s leads to every document below it', (path) => {
    const listed = new Set(listLinks(path).map(({ file }) => file));
    const own = documents.filter(
      (one) =>
        one !== path &&
        one.startsWith(`${dirname(path)}/`) &&
        !(path === 'docs/README.md' && dirname(one) === 'docs/decisions'),
    );
    expect(own.filter((one) => !listed.has(one))).toEqual([]);
  });

  it.each(documents.filter((path) => /^docs\/[^/]+$/.test(path)))('%s quotes texts that the console has', (path) => {
    const prose = read(path)
      .replaceAll(/`[^`\n]*`/g, '')
      .replaceAll(/\s+/g, ' ');
    const quotes = [...prose.matchAll(/(?<!\*)\*([A-Z][^*]*)\*(?!\*)/g)].flatMap(([, quote = '']) =>
      quote.split(' › '),
    );
    expect(quotes.filter((quote) => !quote.startsWith('(') && !messages.has(quote))).toEqual([]);
  });

  it('numbers and dates every decision once, and lists it', () => {
    const topics = documents.filter((one) => dirname(one) === 'docs/decisions' && !one.endsWith('README.md'));
    const entries = topics.flatMap((path) => {
      const undated = read(path).match(/^## (?!\d{4} .+\n\n20\d\d-\d\d-\d\d\n\n).*/gm) ?? [];
      expect(undated, path).toEqual([]);
      return [...read(path).matchAll(/^## (\d{4}) (.+)$/gm)].map(
        ([, number = '', title = '']) => `[${number}] ${title}`,
      );
    });
    const listed = [...read('docs/decisions/README.md').matchAll(/^- (\[\d{4}\])\(.*?\) (.+)$/gm)].map(
      ([, number = '', title = '']) => `${number} ${title}`,
    );
    expect(listed).toEqual(entries.toSorted((a, b) => listed.indexOf(a) - listed.indexOf(b)));
    expect(new Set(entries.map((entry) => entry.slice(0, 6))).size).toBe(entries.length);
  });
});
