import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetProcessState } from '../lib/process-state';
import { assertAllowedTarget } from './assert-allowed-target';

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
