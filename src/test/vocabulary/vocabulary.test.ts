import { describe, expect, it } from 'vitest';
import { BANNED, BANNED_IN, NAMES } from './banned-words';
import { bannedFunctionNames, bannedIdentifiers, bannedPath, bannedTitles } from './names';
import { type Areas, addCode, allPrograms, allTexts, extractProse, listTranslations, type Text } from './texts';

/** Between words: blanks, line breaks, and what begins a line of a comment. */
const GAP = '(?:\\s|\\*|//|#)+';
const toPattern = (banned: typeof BANNED) =>
  new RegExp(
    `(?<![\\p{L}\\w\\-])(?:${banned.map(([pattern]) => `(${pattern.replaceAll(' ', GAP)})`).join('|')})(?![\\p{L}\\w\\-])`,
    'giu',
  );
const ANY = toPattern(BANNED);

const NAME = new RegExp(NAMES.map(([pattern]) => pattern).join('|'), 'g');
const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');

/** Each banned word as `file:line: word → what to say`. Code spans are names, not words. */
function findBannedWords({ path, line, text }: Text, banned = BANNED, any = ANY): string[] {
  const prose = text
    .replaceAll(/`[^`\n]+`/g, (code, index: number) => (index === 0 ? code : blank(code)))
    .replaceAll(NAME, blank);
  return [...prose.matchAll(any)].map(({ index, 0: word, ...match }) => {
    const which = banned.findIndex((_, i) => match[i + 1] !== undefined);
    const at = line + prose.slice(0, index).split('\n').length - 1;
    return `${path}:${at}: "${word.replaceAll(/[\s*/#]+/g, ' ')}" → ${banned[which]?.[1]}`;
  });
}

const inText = (text: string) => findBannedWords({ path: 'a.md', line: 1, text: extractProse(text) });
const inCode = (path: string, source: string) => {
  const areas: Areas = new Map();
  addCode(areas, path, source);
  return [...areas].map(([area, texts]) => [area, texts.flatMap((text) => findBannedWords(text))] as const);
};

describe('the vocabulary check', () => {
  it('names file, line, word and replacement', () => {
    expect(inText('A line.\nDone by\nhand.')).toEqual(['a.md:2: "by hand" → manually']);
  });

  it('matches whole words and phrases only', () => {
    expect(inText('The mended fence. Amend it. A stand-alone unit stands.')).toEqual(['a.md:1: "mended" → fix']);
    expect(inText('A graphics card, the address space, a standing order, tell me')).toEqual([]);
  });

  it('passes over code spans, code blocks and addresses of links', () => {
    expect(inText('The user `nobody`, [link](x.md#by-hand)\n```\nby hand\n```\n')).toEqual([]);
  });

  it('passes over names: variables in templates, the command enrol, the user nobody', () => {
    const source = "a = `@{wanted.name} is @{wanted ? 'wanted' : `not @{ours}`}`; b = 'fabric-agent enrol TOKEN'";
    expect(inCode('agent/a.ts', source.replaceAll('@', '$'))).toEqual([
      ['texts agent', ['agent/a.ts:1: "wanted" → desired, required']],
    ]);
    expect(inText('no user "fabric" or "nobody"; nobody')).toEqual([
      'a.md:1: "nobody" → no user, no one, or the passive',
    ]);
    expect(inText('enrol the node with fabric-agent enrol')).toEqual(['a.md:1: "enrol" → enroll, enrollment']);
  });

  it('finds comments, texts of the server, and titles of tests', () => {
    expect(inCode('src/server/a.ts', "/** Done by\n * hand. */\nconst a = 'go by hand'; sql`by hand`")).toEqual([
      ['comments src/server', ['src/server/a.ts:1: "by hand" → manually']],
      ['texts src/server', ['src/server/a.ts:3: "by hand" → manually']],
    ]);
    expect(inCode('agent/a.test.ts', "it.each([1])('stands at', () => f('by hand'))")).toEqual([
      ['test titles agent', ['agent/a.test.ts:1: "stands at" → are placed on, are in']],
    ]);
  });

  it('names identifiers and files with their line and what to use, but no fields of the API, texts and comments', () => {
    const source =
      "/** told */\nconst { rules_said, x } = f('told');\nlet isToldOf = (dashboard) => /told/.test(WANTED);";
    expect(bannedIdentifiers('a.ts', source)).toEqual([
      'a.ts:3: isToldOf → reported, shown, notified',
      'a.ts:3: WANTED → desired, requested, expected',
    ]);
    expect(['src/ui/keyboard.ts', 'src/a/sync-world.fixture.ts'].flatMap(bannedPath)).toEqual([
      'src/a/sync-world.fixture.ts → fixture, lab, environment',
    ]);
  });

  it('names titles that do not say what the unit does', () => {
    const source =
      "describe('of a', () => {\n  it('is of b', f);\n  it.each([1])('at %s', f);\n  it('issues c', f);\n});";
    expect(bannedTitles('a.test.ts', source)).toEqual([
      "a.test.ts:2: 'is of b' → a verb in the third person and the result",
      "a.test.ts:3: 'at %s' → a verb in the third person and the result",
    ]);
  });
});

const found = new Map([...allTexts()].map(([area, texts]) => [area, texts.flatMap((text) => findBannedWords(text))]));

describe('banned words', () => {
  it.each([...found].map(([area, words]) => ({ area, words })))('do not occur in $area', ({ words }) => {
    expect(words, 'Reword these (docs/glossary.md).').toEqual([]);
  });
});

const programs = allPrograms();
const tests = programs.filter(({ path }) => /\.(?:test|suite|e2e)\.tsx?$/.test(path));

describe('banned parts', () => {
  it('do not occur in identifiers', () => {
    expect(programs.flatMap(({ path, source }) => bannedIdentifiers(path, source))).toEqual([]);
  });

  it('do not occur at the end of names of functions', () => {
    const source =
      'const nameOf = (policy: Policy) => 1;\nfunction keyOf() {}\nconst a = b.indexOf(c);\nconst rankOf = ranks.get;';
    expect(bannedFunctionNames('a.ts', source)).toEqual([
      'a.ts:1: nameOf → a verb and a noun',
      'a.ts:2: keyOf → a verb and a noun',
    ]);
    expect(programs.flatMap(({ path, source }) => bannedFunctionNames(path, source))).toEqual([]);
  });

  it('do not occur in names of files', () => {
    expect(programs.flatMap(({ path }) => bannedPath(path))).toEqual([]);
  });
});

describe('titles of tests', () => {
  it('start with a verb or a noun', () => {
    expect(tests.flatMap(({ path, source }) => bannedTitles(path, source))).toEqual([]);
  });
});

describe.each(Object.entries(BANNED_IN))('banned words in %s', (locale, banned) => {
  const any = toPattern(banned);

  it('match whole words', () => {
    const text = locale === 'fr' ? 'un workload, des Workloads' : 'ein Gast und die Gast-Firewall; Gastgeber';
    const words = locale === 'fr' ? ['workload', 'Workloads'] : ['Gast'];
    const found = findBannedWords({ path: 'a.json', line: 1, text }, banned, any).map((line) => line.split('"')[1]);
    expect(found).toEqual(words);
  });

  it('do not occur in its catalog', () => {
    const texts = listTranslations(locale);
    expect(texts.length).toBeGreaterThan(2000);
    expect(texts.flatMap((text) => findBannedWords(text, banned, any))).toEqual([]);
  });
});
