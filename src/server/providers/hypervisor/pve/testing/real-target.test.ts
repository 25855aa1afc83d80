import { describe, expect, it } from 'vitest';
import { realTarget } from './real-target.fixture';

const env = (more: Record<string, string> = {}) => ({
  PVE_TEST_URL: 'https://pve1.example.org:8006',
  PVE_TEST_TOKEN: 'user@pve!name=secret',
  ...more,
});

describe('the cluster named by the environment', () => {
  it('requires an address and a token', () => {
    expect(realTarget({})).toBeNull();
    expect(realTarget({ PVE_TEST_URL: 'https://pve1.example.org:8006' })).toBeNull();
  });

  it('stays read-only unless writable guests are named', () => {
    expect(realTarget(env())).toMatchObject({ writable: [], allow_targets: [] });
    expect(realTarget(env({ PVE_TEST_WRITABLE: '101, 202' }))?.writable).toEqual([101, 202]);
    expect(() => realTarget(env({ PVE_TEST_WRITABLE: '101,all' }))).toThrow('PVE_TEST_WRITABLE');
  });

  it('may be on a loopback address, and then nowhere else', () => {
    const at = (url: string) => realTarget(env({ PVE_TEST_URL: url }))?.allow_targets;
    expect(at('https://127.0.10.1:8006')).toEqual(['127.0.0.0/8']);
    expect(at('https://[::1]:8006')).toEqual(['::1/128']);
    expect(at('https://10.0.0.1:8006')).toEqual([]);
    expect(at('https://127.example.org:8006')).toEqual([]);
  });
});
