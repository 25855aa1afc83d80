import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditState, canonicalJson, equalJson } from './canonical';

describe('auditState', () => {
  it('removes secrets at any depth and keeps what only sounds like one', () => {
    expect(
      auditState({
        api_token: 'x',
        nested: [{ Password: 'y', password_hash: 'z' }],
        has_api_token: true,
        password_sign_in: false,
        token_id: 'main',
        locked_seconds: 3,
        api_token_key_id: 'k',
        private_key: null,
        gone: undefined,
      }),
    ).toEqual({
      api_token: '[redacted]',
      nested: [{ Password: '[redacted]', password_hash: '[redacted]' }],
      has_api_token: true,
      password_sign_in: false,
      token_id: 'main',
      locked_seconds: 3,
      api_token_key_id: 'k',
      private_key: null,
    });
  });

  it('makes plain JSON of what is none', () => {
    const at = new Date(0);
    expect(auditState({ at, big: 10n ** 30n, nan: Number.NaN, f: () => 1, list: [undefined, at] })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: '1000000000000000000000000000000',
      nan: null,
      list: [null, '1970-01-01T00:00:00.000Z'],
    });
    expect(auditState('text')).toEqual({ value: 'text' });
    expect(auditState(undefined)).toBeNull();
  });

  it('replaces what PostgreSQL cannot store and cuts what is too deep', () => {
    expect(auditState({ 'a\0': 'b\0\ud800c' })).toEqual({ 'a\ufffd': 'b\ufffd\ufffdc' });
    let deep: unknown = 'bottom';
    for (let i = 0; i < 10_000; i += 1) deep = { deep };
    expect(JSON.stringify(auditState(deep))).toContain('[too deep]');
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
  });
});

const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify({ value }));

describe('equalJson', () => {
  it('agrees with a comparison of the stored values', () => {
    const leaf = fc.oneof(fc.constantFrom('', 'a', null, undefined, true, false), fc.integer({ min: 0, max: 2 }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'hasOwnProperty'), tie('value'), { maxKeys: 3 }),
      ),
    }));
    let equal = 0;
    fc.assert(
      fc.property(value, value, (a, b) => {
        const expected = isDeepStrictEqual(asStored(a), asStored(b));
        if (expected) equal += 1;
        expect(equalJson(a, b)).toBe(expected);
        expect(equalJson(a, structuredClone(a))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
    expect(equal).toBeGreaterThan(20);
  });

  it('ignores the order of fields, and takes an absent field for one without a value', () => {
    expect(equalJson({ a: 1, b: [{ c: undefined }] }, { b: [{}], a: 1, d: undefined })).toBe(true);
    expect(equalJson({ a: 1 }, { a: 1, b: null })).toBe(false);
    expect(equalJson([1], { 0: 1 })).toBe(false);
  });
});
