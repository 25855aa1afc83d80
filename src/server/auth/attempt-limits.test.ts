import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lockSeconds, loginLimits, sourceKey } from './attempt-limits';

const origin = (source_address: string | null) => ({ request_id: 'r', source_address });

describe('lockSeconds', () => {
  it('returns 0 while failures are free, then never shrinks and never exceeds the longest wait', () => {
    const limits = loginLimits('a', origin('192.0.2.1'));
    fc.assert(
      fc.property(fc.constantFrom(...limits), fc.nat(1_000_000), (limit, failures) => {
        const seconds = lockSeconds(limit, failures);
        expect(seconds > 0).toBe(failures >= limit.free);
        expect(lockSeconds(limit, failures + 1)).toBeGreaterThanOrEqual(seconds);
        expect(seconds).toBeLessThanOrEqual(limit.max_seconds);
      }),
    );
  });
});

describe('keys', () => {
  it('take an IPv6 customer as one, and an IPv4 address alone', () => {
    expect(sourceKey(origin('2001:db8:1:2:aaaa::1'))).toBe(sourceKey(origin('2001:db8:1:2::ffff')));
    expect(sourceKey(origin('2001:db8:1:3::1'))).not.toBe(sourceKey(origin('2001:db8:1:2::1')));
    expect(sourceKey(origin('192.0.2.1'))).not.toBe(sourceKey(origin('192.0.2.2')));
    expect(sourceKey(origin(null))).toBe('unknown');
  });

  it('hold no name and have a bounded length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 254 }), (email) => {
        for (const { key } of loginLimits(email, origin('2001:db8::1'))) expect(key.length).toBeLessThan(120);
      }),
    );
    expect(JSON.stringify(loginLimits('ada@example.org', origin(null)))).not.toContain('ada');
  });
});
