import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import { passwordProblem } from '@/domain/auth-password';
import { MIN_PASSWORD_LENGTH } from '@/domain/choices';
import { hashNewPassword, isCommonPassword } from './passwords';

const listed = dictionary['passwords-common'];
const filterCommon = async (passwords: readonly string[]) => {
  const answers = await Promise.all(passwords.map(isCommonPassword));
  return passwords.filter((_, i) => answers[i]);
};

describe('common passwords', () => {
  it('number at least 3000, and every listed one that is long enough is rejected', async () => {
    expect(listed.length).toBeGreaterThan(3000);
    const long = listed.filter((word) => [...word].length >= MIN_PASSWORD_LENGTH);
    expect(long.length).toBeGreaterThan(300);
    expect(await filterCommon(long)).toEqual(long);
  });

  it('cannot be used in the usual lengthened forms of the 3000 most common', async () => {
    const top = listed.filter((word) => /^[a-z]{4,11}$/.test(word)).slice(0, 3000);
    expect(top).toHaveLength(3000);
    const lengthened = top.flatMap((word) => [
      word + word,
      `${word}${'12345678'.slice(0, Math.max(1, 12 - word.length))}`,
      `${word[0]?.toUpperCase()}${word.slice(1)}2026!!!`,
      `123${word}123!!`,
    ]);
    expect(await filterCommon(lengthened)).toEqual(lengthened);
  });

  it.each([
    'PASSWORD!!!!',
    'P@ssw0rd1234',
    'Passw0rd!2026',
    'Welcome12345',
    'Summer2026!!!',
    'qwertyuiop123',
    'letmeinletmein',
    'iloveyou12345',
    'admin1234567',
    'manchesterunited',
    '１２３４５６７８９０１２',
  ])('%s is one', async (password) => expect(await isCommonPassword(password)).toBe(true));

  it.each([
    'seven grey herons',
    'correct horse, battery',
    'tr0ub4dor&3xyz',
    'K7QM-2XWP-9ATD',
    'windowstreetlamp',
    'Ada84719284619',
    '日本語のとても長いパスワード',
  ])('%s is none', async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
    expect(passwordProblem(password)).toBeNull();
  });

  it('return an error at their field', async () => {
    await expect(hashNewPassword('password1234', 'new_password')).rejects.toMatchObject({
      code: 'malformed',
      errors: [{ field: 'new_password', message: expect.stringContaining('too common') }],
    });
  });

  it('stay on the server, which alone names the package of the list, and loads it when it needs it', () => {
    const source = fileURLToPath(new URL('../../..', import.meta.url));
    const naming = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /(?<!\.test)\.tsx?$/.test(path) && readFileSync(source + path, 'utf8').includes("'@zxcvbn-ts/"),
    );
    expect(naming).toEqual(['server/access/sign-in/passwords.ts']);
    expect(readFileSync(`${source}/${naming[0]}`, 'utf8')).not.toMatch(/^import .*@zxcvbn-ts/m);
  });
});
