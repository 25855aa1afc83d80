import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ASVS_5_LEVEL_2 } from './asvs-5-level-2';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}docs/security/`;

it.each(readdirSync(folder))('%s names only evidence that exists', (file) => {
  const text = readFileSync(folder + file, 'utf8');
  const named = [...text.matchAll(/`([A-Za-z][\w./()[\]-]*\.(?:tsx?|mjs|md|txt|json|yaml|service))`/g)].map(
    ([, path = '']) => path,
  );
  const missing = named.filter(
    (path) => !path.startsWith('/') && !existsSync(root + path) && !existsSync(`${root}src/${path}`),
  );
  expect(missing).toEqual([]);
});

describe('the ASVS checklist', () => {
  const STATES = ['met', 'partly', '**gap**', 'n/a'] as const;
  const document = readFileSync(`${folder}asvs.md`, 'utf8');
  const rows = [...document.matchAll(/^\| ([\d., -]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, numbers = '', , state = '', evidence = '']) => ({ numbers: expand(numbers), state, evidence }),
  );
  const stateOf = new Map(rows.flatMap(({ numbers, state }) => numbers.map((number) => [number, state] as const)));

  /** `1.4.1, 1.4.3` and `1.2.6-1.2.8` as numbers of requirements. */
  function expand(numbers: string): string[] {
    return numbers.split(', ').flatMap((part) => {
      const [first = '', last = first] = part.split('-');
      const section = first.slice(0, first.lastIndexOf('.'));
      const [from, to] = [first, last].map((number) => Number(number.slice(section.length + 1))) as [number, number];
      if (!last.startsWith(`${section}.`) || !(to >= from)) throw new Error(`${part} is no range of one section`);
      return Array.from({ length: to - from + 1 }, (_, i) => `${section}.${from + i}`);
    });
  }
  const section = (title: string) => document.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

  it('is held against as many requirements as the standard has', () => {
    expect(ASVS_5_LEVEL_2.filter(({ level }) => level === 1)).toHaveLength(70);
    expect(ASVS_5_LEVEL_2).toHaveLength(253);
  });

  it('names every requirement of levels 1 and 2 exactly once, and no other', () => {
    const named = rows.flatMap(({ numbers }) => numbers);
    expect(named.toSorted()).toEqual(ASVS_5_LEVEL_2.map(({ number }) => number).toSorted());
  });

  it('gives each a state and evidence: a file, unless it does not apply', () => {
    for (const { numbers, state, evidence } of rows) {
      expect(STATES, numbers[0]).toContain(state);
      if (state === 'met' || state === 'partly') expect(evidence, numbers[0]).toMatch(/`[^`]+\.[a-z]+`|see \d/);
    }
  });

  it('tells figures that are those of its rows', () => {
    const line = (title: string, levels: readonly number[]) => {
      const states = ASVS_5_LEVEL_2.filter(({ level }) => levels.includes(level)).map(({ number }) =>
        stateOf.get(number),
      );
      const counts = STATES.map((wanted) => states.filter((state) => state === wanted).length);
      return `| ${[title, ...counts, states.length].join(' | ')} |`;
    };
    for (const expected of [line('level 1', [1]), line('level 2', [2]), line('both', [1, 2])])
      expect(document.split('\n')).toContain(expected);
  });

  it('lists at its end every gap, and what of level 1 is not met, and nothing else', () => {
    const open = ASVS_5_LEVEL_2.filter(({ number, level }) => {
      const state = stateOf.get(number);
      return state === '**gap**' || (state === 'partly' && level === 1);
    }).map(({ number }) => number);
    const listed = section('What is open').match(/\b\d+\.\d+\.\d+\b/g) ?? [];
    expect(listed.toSorted()).toEqual(open.toSorted());
  });

  it('keeps what is of level 3 alone apart', () => {
    const numbers = section('Level 3').match(/^\| \d+\.\d+\.\d+(?= \|)/gm) ?? [];
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter((number) => stateOf.has(number.slice(2)))).toEqual([]);
  });
});
