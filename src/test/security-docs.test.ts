import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}docs/security/`;

describe('the security documents', () => {
  it.each(readdirSync(folder))('%s names only evidence that exists', (file) => {
    const text = readFileSync(folder + file, 'utf8');
    const named = [...text.matchAll(/`([A-Za-z][\w./()[\]-]*\.(?:tsx?|mjs|md|txt|json))`/g)].map(
      ([, path = '']) => path,
    );
    const missing = named.filter(
      (path) => !path.startsWith('/') && !existsSync(root + path) && !existsSync(`${root}src/${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('counts every requirement once', () => {
    const text = readFileSync(`${folder}asvs.md`, 'utf8');
    const numbers = [...text.matchAll(/^\| ([\d., -]+) \|/gm)].map(([, number]) => number);
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([]);
    expect(numbers.length).toBeGreaterThan(100);
  });
});
