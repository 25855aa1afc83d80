import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolvePeer, trustedProxies } from './peer-header';

const noProxies = trustedProxies([]);
const proxies = trustedProxies(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8']);
const from = (address: string | undefined, headers: Record<string, string | string[]> = {}, trusted = proxies) =>
  resolvePeer({ address, encrypted: false }, { host: 'fabric.test', ...headers }, trusted);

describe('resolvePeer', () => {
  it('takes the socket’s address and ignores headers of strangers', () => {
    const lies = { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test' };
    for (const trusted of [noProxies, proxies]) {
      expect(from('192.0.2.1', lies, trusted)).toEqual({ address: '192.0.2.1', proto: 'http', host: 'fabric.test' });
    }
    expect(from('10.0.0.1', lies, noProxies).address).toBe('10.0.0.1');
  });

  it.each([
    ['one proxy', '203.0.113.5', '203.0.113.5'],
    ['a chain of our proxies', '203.0.113.5, 10.1.1.1, 10.2.2.2', '203.0.113.5'],
    ['what the client itself invented', '6.6.6.6, 203.0.113.5, 10.1.1.1', '203.0.113.5'],
    ['a port', '203.0.113.5:4711', '203.0.113.5'],
    ['IPv6', '2001:db8::1', '2001:db8::1'],
    ['IPv6 with port', '[2001:DB8::1]:443', '2001:db8::1'],
    ['a mapped address', '::ffff:203.0.113.5', '203.0.113.5'],
    ['only proxies', '10.1.1.1', '10.1.1.1'],
    ['an unreadable hop', '203.0.113.5, unknown, 10.1.1.1', '10.1.1.1'],
    ['nothing usable', 'unknown', '10.0.0.1'],
    ['nothing', '', '10.0.0.1'],
    ['empty items', ' , ,203.0.113.5, ', '203.0.113.5'],
  ])('finds the client behind %s', (_name, header, expected) => {
    expect(from('10.0.0.1', { 'x-forwarded-for': header }).address).toBe(expected);
    expect(from('::ffff:10.0.0.1', { 'x-forwarded-for': header }).address).toBe(
      expected === '10.0.0.1' ? '10.0.0.1' : expected,
    );
  });

  it('believes scheme and host of a trusted proxy when they are well-formed', () => {
    const forwarded = (proto: string, host: string) =>
      from('127.0.0.1', { 'x-forwarded-proto': proto, 'x-forwarded-host': host });
    expect(forwarded('https', 'fabric.example.org:8443')).toMatchObject({
      proto: 'https',
      host: 'fabric.example.org:8443',
    });
    expect(forwarded('http, https', 'a.test, b.test')).toMatchObject({ proto: 'https', host: 'b.test' });
    expect(forwarded('javascript', 'a/b')).toMatchObject({ proto: 'http', host: 'fabric.test' });
  });

  it('gives no host for one that is none', () => {
    for (const host of ['', 'a/b', 'x:99999', '[::1', 'a b', 'user@host'])
      expect(from('192.0.2.1', { host }).host).toBeNull();
  });

  it('never takes an invented address for the client of a trusted proxy and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.option(fc.string()), (header, address) => {
        const peer = from(address ?? undefined, { 'x-forwarded-for': header });
        expect(peer.address === null || typeof peer.address === 'string').toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.ipV4().filter((ip) => !proxies(ip)),
        fc.string({ unit: 'binary' }),
        (ip, invented) => {
          expect(from('10.0.0.1', { 'x-forwarded-for': `${invented}, ${ip}` }).address).toBe(ip);
        },
      ),
    );
  });
});
