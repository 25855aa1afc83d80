import { afterEach, describe, expect, it } from 'vitest';
import { getPublicOrigin, getRequestOrigin, isLocal, STAMPED } from './origin';

const request = (headers: Record<string, string>) => new Request('http://fabric.test/api/v1/x', { headers });
const stamped = { 'x-fabric-peer': '::FFFF:10.0.0.7', 'x-fabric-proto': 'https', 'x-fabric-host': 'a.test:8443' };
afterEach(() => Reflect.deleteProperty(globalThis, STAMPED));

describe('where a request comes from', () => {
  it('comes from the entry, in canonical form', () => {
    Reflect.set(globalThis, STAMPED, true);
    expect(getRequestOrigin(request(stamped)).source_address).toBe('10.0.0.7');
    expect(getPublicOrigin(request(stamped))).toEqual({ protocol: 'https', host: 'a.test:8443' });
    expect(getRequestOrigin(request({ 'x-fabric-peer': 'fe80::1%eth0' })).source_address).toBeNull();
  });

  it('stays unknown without the entry, because headers come from the client', () => {
    expect(getRequestOrigin(request(stamped)).source_address).toBeNull();
    expect(getPublicOrigin(request({ ...stamped, host: 'fabric.test' }))).toEqual({
      protocol: 'http',
      host: 'fabric.test',
    });
    expect(isLocal(request({ 'x-fabric-peer': '127.0.0.1', 'x-fabric-forwarded': 'no' }))).toBe(false);
  });

  it('counts as local only when the request was not forwarded', () => {
    Reflect.set(globalThis, STAMPED, true);
    const from = (peer: string, forwarded = 'no', host = 'localhost:3000') =>
      isLocal(request({ 'x-fabric-peer': peer, 'x-fabric-forwarded': forwarded, 'x-fabric-host': host }));
    expect([from('127.0.0.1'), from('127.8.8.8'), from('::1'), from('::ffff:127.0.0.1')]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([from('10.0.0.1'), from('127.0.0.1', 'yes'), isLocal(request({}))]).toEqual([false, false, false]);
    // The page of another site, whose name leads to this machine for the moment.
    const hosts = [
      'localhost',
      '127.0.0.1:3000',
      '[::1]:3000',
      'evil.test',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
    ];
    expect(hosts.map((host) => from('127.0.0.1', 'no', host))).toEqual([true, true, true, false, false, false]);
  });
});
