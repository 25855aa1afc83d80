import { describe, expect, it } from 'vitest';
import { orNull, ProviderError } from '../../errors';
import { createTimedCache } from '../inventory/context';
import { Permissions } from './permissions';

describe('permissions', () => {
  const permissions = new Permissions({
    '/': { 'Sys.Audit': 1, 'VM.Audit': 1, 'SDN.Use': 0 },
    '/vms': { 'VM.Audit': 1, 'VM.Config.Network': 0 },
    '/vms/100': { 'VM.Config.Network': 1 },
    '/sdn': { 'SDN.Audit': 1 },
  });

  it('come from both flags; below the path only from the propagating one', () => {
    expect(permissions.has('VM.Config.Network', '/vms')).toBe(true);
    expect(permissions.has('VM.Config.Network', '/vms/101')).toBe(false);
    expect(permissions.has('VM.Audit', '/vms/101')).toBe(true);
    expect(permissions.has('SDN.Use', '/')).toBe(true);
    expect(permissions.has('SDN.Audit', '/sdn/zones/localnetwork/vmbr0')).toBe(true);
  });

  it('replace those of parent paths on a deeper path', () => {
    expect(permissions.has('VM.Audit', '/vms/100')).toBe(false);
    expect(permissions.hasBelow('VM.Audit', '/vms')).toBe(false);
    expect(permissions.hasBelow('SDN.Audit', '/sdn/zones')).toBe(true);
  });

  it('count as none on an always reported path that is absent', () => {
    // Inherited permissions would be shown; `/nodes` is missing because all permissions were removed there.
    expect(permissions.has('Sys.Audit', '/nodes')).toBe(false);
    expect(permissions.has('Sys.Audit', '/nodes/pve1')).toBe(false);
    expect(permissions.has('Sys.Audit', '/elsewhere')).toBe(true);
  });

  it('may be none at all', () => {
    expect(new Permissions({}).isEmpty).toBe(true);
    expect(new Permissions({ '/': {} }).isEmpty).toBe(true);
    expect(permissions.isEmpty).toBe(false);
  });

  it('know where they are granted', () => {
    expect(permissions.pathsWith('VM.Config.Network')).toEqual(['/vms', '/vms/100']);
  });
});

describe('an answer remembered for a time', () => {
  it('loads again when it has expired or a fresh one is requested', async () => {
    let [time, loads] = [0, 0];
    const answer = createTimedCache(
      100,
      () => time,
      async () => ++loads,
    );
    expect([await answer.get(), await answer.get()]).toEqual([1, 1]);
    time = 99;
    expect(await answer.get()).toBe(1);
    time = 100;
    expect(await answer.get()).toBe(2);
    expect([await answer.fresh(), await answer.get()]).toEqual([3, 3]);
  });

  it('loads again after a failure, or after the clock was set back', async () => {
    let [time, loads] = [1000, 0];
    const answer = createTimedCache(
      100,
      () => time,
      async () => {
        if (++loads === 1) throw new Error('not now');
        return loads;
      },
    );
    await expect(answer.get()).rejects.toThrow('not now');
    expect(await answer.get()).toBe(2);
    time = 0;
    expect(await answer.get()).toBe(3);
  });
});

describe('a part that may be missing', () => {
  it('returns null for the named failures and no others', async () => {
    const failing = (code: 'forbidden' | 'timeout') => Promise.reject(new ProviderError(code, 'x', 'y'));
    expect(await orNull(failing('forbidden'), 'forbidden')).toBeNull();
    await expect(orNull(failing('timeout'), 'forbidden')).rejects.toThrow();
    await expect(orNull(Promise.reject(new TypeError('bug')), 'forbidden')).rejects.toThrow(TypeError);
  });
});
