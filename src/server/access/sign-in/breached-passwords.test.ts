import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isBreachedPassword } from './passwords';

const directory = mkdtempSync(join(tmpdir(), 'breached-'));
afterAll(() => rmSync(directory, { recursive: true }));

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
function writePasswordList(passwords: readonly string[], { newline = '\n', last = true } = {}): string {
  const lines = passwords.map((text, i) => `${sha1(text)}:${10 ** (i % 9)}`).sort();
  const path = join(directory, 'list.txt');
  writeFileSync(path, lines.join(newline) + (last ? newline : ''));
  return path;
}

describe('isBreachedPassword', () => {
  it('finds exactly the passwords of the list, however long it is and however its lines end', async () => {
    const list = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ') }), {
      minLength: 1,
      maxLength: 60,
    });
    const format = fc.record({ newline: fc.constantFrom('\n', '\r\n'), last: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(list, format, fc.string({ maxLength: 3 }), async (passwords, lines, other) => {
        const path = writePasswordList(passwords, lines);
        for (const password of passwords) expect(await isBreachedPassword(path, password)).toBe(true);
        if (!passwords.includes(other)) expect(await isBreachedPassword(path, other)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('finds nothing in an empty list', async () => {
    expect(await isBreachedPassword(writePasswordList([], { last: false }), 'x')).toBe(false);
  });

  it('takes a password as it is stored: the two spellings of a letter are one', async () => {
    expect(await isBreachedPassword(writePasswordList(['b\u00fccherregal 12']), 'bu\u0308cherregal 12')).toBe(true);
  });

  it('says so when the file is missing or something else', async () => {
    await expect(isBreachedPassword(join(directory, 'none'), 'x')).rejects.toThrow('ENOENT');
    const path = join(directory, 'other.txt');
    writeFileSync(path, 'password\nqwerty\n');
    await expect(isBreachedPassword(path, 'x')).rejects.toThrow('expected a SHA-1 hash at byte');
  });
});
