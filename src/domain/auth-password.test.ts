import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passwordProblem } from './auth-password';

describe('passwordProblem', () => {
  it.each([
    'correct horse, battery',
    'tr0ub4dor&3xyz',
    'ÄÖÜ und viele mehr',
    '日本語のとても長いパスワード',
    '🦊🐻🐼🦁🐯🐮🐷🐸🐵🐔🐧🐦',
  ])('accepts %s', (password) => expect(passwordProblem(password, 'ada@example.org')).toBeNull());

  it.each([
    '',
    'elevenchars',
    'adminpassword1!',
    'Changeme12345',
    'administrator',
    'Administrator1!',
    '123456789012',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'ababababababab',
    'proxmox123456',
    'ada@example.org',
    'ADA@example.org1',
    'x'.repeat(257),
  ])('refuses %s', (password) => expect(passwordProblem(password, 'ada@example.org')).toBeTypeOf('string'));

  it('counts characters as people do, not code units', () => {
    expect(passwordProblem('🦊🐻🐼🦁🐯🐮')).toMatch(/at least 12/);
  });

  it('treats equal-looking passwords alike and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (password) => {
        expect(passwordProblem(password.normalize('NFD'))).toBe(passwordProblem(password.normalize('NFC')));
      }),
    );
  });
});
