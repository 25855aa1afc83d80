import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyId, seal, unseal } from './crypto';

const KEY = 'k'.repeat(40);

describe('seal and unseal', () => {
  it('returns what was sealed, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plain, context) => {
        expect(unseal(seal(plain, context, KEY), context, KEY)).toBe(Buffer.from(plain).toString());
      }),
    );
  });

  it('refuses another context, another key and a changed byte', () => {
    const sealed = seal('secret', 'row-1', KEY);
    expect(() => unseal(sealed, 'row-2', KEY)).toThrow();
    expect(() => unseal(sealed, 'row-1', 'x'.repeat(40))).toThrow(/a different FABRIC_SECRET_KEY/);
    const bytes = Buffer.from(sealed.sealed, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => unseal({ ...sealed, sealed: bytes.toString('base64') }, 'row-1', KEY)).toThrow();
  });

  it('never returns the same bytes twice, and a key id reveals nothing', () => {
    expect(seal('a', 'c', KEY).sealed).not.toBe(seal('a', 'c', KEY).sealed);
    expect(keyId(KEY)).toMatch(/^[0-9a-f]{16}$/);
    expect(KEY).not.toContain(keyId(KEY));
  });
});
