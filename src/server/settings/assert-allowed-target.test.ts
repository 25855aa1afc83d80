import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetProcessState } from '../lib/process-state';
import { assertAllowedHttpTarget, assertAllowedTarget } from './assert-allowed-target';

/** A process with this setting; the environment is read once per process. */
function allow(targets: string): void {
  vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', targets);
  forgetProcessState();
}
afterEach(() => vi.unstubAllEnvs());

describe('assertAllowedTarget', () => {
  it('refuses what no connection is made to, naming field and remedy', () => {
    allow('');
    for (const host of ['127.0.0.1', '[::1]', 'fe80::1', '169.254.169.254', 'localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(() => assertAllowedTarget('api_url', host), host).toThrow(
        expect.objectContaining({
          code: 'refused',
          errors: [{ field: 'api_url', message: expect.stringContaining('FABRIC_ALLOW_PRIVATE_TARGETS') }],
        }),
      );
    }
    for (const host of ['10.0.0.1', 'fd00::1', '192.0.2.1', 'pve1.example.org', 'localhost.example.org'])
      expect(() => assertAllowedTarget('api_url', host), host).not.toThrow();
    expect(() => assertAllowedTarget('url', '10.0.0.1', { publicOnly: true })).toThrow(/private network/);
  });

  it('follows what the administrator of the server allows', () => {
    allow('127.0.0.0/8,10.0.0.0/8');
    for (const host of ['127.0.0.1', 'localhost']) expect(() => assertAllowedTarget('url', host), host).not.toThrow();
    expect(() => assertAllowedTarget('url', '10.0.0.1', { publicOnly: true })).not.toThrow();
    expect(() => assertAllowedTarget('url', '[::1]')).toThrow(/loopback/);
  });
});

describe('assertAllowedHttpTarget', () => {
  const names: Record<string, string[]> = {
    'inside.example.org': ['10.0.0.9'],
    'metadata.example.org': ['169.254.169.254'],
    'public.example.org': ['203.0.113.9'],
    'both.example.org': ['127.0.0.1', '203.0.113.9'],
  };
  let asked: string[] = [];
  const lookup = ((host: string, _: object, done: (error: Error | null, found: object[]) => void) => {
    asked.push(host);
    const found = names[host]?.map((address) => ({ address, family: 4 }));
    done(found ? null : Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), found ?? []);
  }) as unknown as NonNullable<Parameters<typeof assertAllowedHttpTarget>[2]>['lookup'];
  const check = (url: string, publicOnly = false) =>
    assertAllowedHttpTarget('url', new URL(url), { publicOnly, lookup }).then(
      () => null,
      (error: Error) => error.message,
    );

  it('refuses a name that resolves to what no connection is made to', async () => {
    allow('');
    expect(await check('https://metadata.example.org/x')).toMatch(/169\.254\.169\.254.*FABRIC_ALLOW_PRIVATE_TARGETS/);
    expect(await check('https://169.254.169.254/')).toMatch(/not allowed/);
    for (const host of ['inside', 'public', 'both', 'unknown']) {
      expect(await check(`https://${host}.example.org/`), host).toBeNull();
    }
  });

  it('accepts http for addresses of the own network only', async () => {
    allow('127.0.0.0/8');
    for (const url of ['http://inside.example.org/', 'http://10.0.0.9/', 'http://127.0.0.1:9/', 'http://[fd00::1]/'])
      expect(await check(url), url).toBeNull();
    for (const url of ['http://public.example.org/', 'http://203.0.113.9/', 'http://unknown.example.org/'])
      expect(await check(url), url).toMatch(/unencrypted.*Use https/);
  });

  it('does not reveal to a tenant which names exist in this network', async () => {
    allow('');
    asked = [];
    for (const host of ['inside', 'metadata', 'unknown']) {
      expect(await check(`https://${host}.example.org/`, true), host).toBeNull();
      expect(await check(`http://${host}.example.org/`, true), host).toMatch(/Use https/);
    }
    expect(asked).toEqual([]);
    expect(await check('https://10.0.0.9/', true)).toMatch(/not allowed/);
  });
});
