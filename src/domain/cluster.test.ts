import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterCheckInput, ClusterInput, ClusterUpdate } from './cluster';

const good = { name: 'fra', api_url: 'pve1', api_token: 'root@pam!fabric=0b2c' };
const parseFingerprint = (text: string) => ClusterInput.parse({ ...good, tls_fingerprint: text }).tls_fingerprint;

describe('what describes a cluster', () => {
  it('has defaults where nothing needs to be said', () => {
    expect(ClusterInput.parse(good)).toEqual({
      ...good,
      api_url: 'https://pve1:8006',
      tls_fingerprint: null,
      rule_placement: 'above',
    });
    expect(ClusterUpdate.parse({})).toEqual({});
  });

  it('takes a fingerprint however it is written, and stores one form', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.boolean(),
        fc.boolean(),
        (bytes, colons, upper) => {
          const pairs = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
          const text = pairs.join(colons ? ':' : '');
          expect(parseFingerprint(upper ? text.toUpperCase() : text)).toBe(pairs.join(':').toUpperCase());
        },
      ),
    );
  });

  it.each(['', 'AA', `${'AA:'.repeat(31)}A`, 'GG'.repeat(32), 'AA'.repeat(33)])(
    'refuses the fingerprint %j',
    (text) => {
      expect(ClusterInput.safeParse({ ...good, tls_fingerprint: text }).success).toBe(false);
    },
  );

  it.each([
    ['root@pam!fabric=0b2c-1', 'root@pam!fabric=0b2c-1'],
    ['  PVEAPIToken=svc@pve!a.b-c_d=x=y  ', 'svc@pve!a.b-c_d=x=y'],
    ['PVEAPIToken svc@ldap-1!tok=x', 'svc@ldap-1!tok=x'],
    ['a.b@corp.example@pve!tok=x', 'a.b@corp.example@pve!tok=x'],
  ])('takes the token %j', (text, token) => {
    expect(ClusterInput.parse({ ...good, api_token: text }).api_token).toBe(token);
  });

  it('never repeats a token in what it complains of', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 60 }), (text) => {
        const result = ClusterInput.safeParse({ ...good, api_token: text });
        fc.pre(!result.success && !text.includes('token'));
        expect(JSON.stringify(result.error?.issues)).not.toContain(JSON.stringify(text).slice(1, -1));
      }),
    );
  });

  it('requires an address or a stored cluster', () => {
    expect(ClusterCheckInput.safeParse({ api_token: good.api_token }).success).toBe(false);
    expect(ClusterCheckInput.safeParse({ api_url: 'pve1' }).success).toBe(true);
  });
});
