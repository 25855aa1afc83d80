import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLegibleCode, ensureSecret, randomSecret } from './secrets';

describe('ensureSecret', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-secrets-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('makes a secret once, for this user only', () => {
    const secret = ensureSecret(directory, 'secret_key', randomSecret);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(ensureSecret(directory, 'secret_key', randomSecret)).toBe(secret);
    expect(statSync(join(directory, 'secrets', 'secret_key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'secrets')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, 'secrets'))).toEqual(['secret_key']);
  });

  it('does not replace an emptied secret', () => {
    ensureSecret(directory, 'secret_key', randomSecret);
    writeFileSync(join(directory, 'secrets', 'secret_key'), '');
    expect(() => ensureSecret(directory, 'secret_key', randomSecret)).toThrow(/secret_key is empty/);
  });
});

describe('createLegibleCode', () => {
  it('returns three groups without look-alike characters, never twice the same', () => {
    const codes = Array.from({ length: 500 }, createLegibleCode);
    for (const code of codes) expect(code).toMatch(/^[A-HJKMNP-TV-Z2-9]{4}(-[A-HJKMNP-TV-Z2-9]{4}){2}$/);
    expect(new Set(codes).size).toBe(500);
  });
});
