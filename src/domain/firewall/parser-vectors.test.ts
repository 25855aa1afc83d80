import vectors from '@fabric/simulator/vectors/firewall.json';
import { describe, expect, it } from 'vitest';
import { protocolNumber } from './data/protocols';
import { parseLivePorts } from './port-match';
import { resolveAddress } from './resolve-address';

describe('recorded vectors of the real parser', () => {
  const scopes = {
    guest: { ipsets: {}, aliases: {} },
    cluster: { ipsets: { set: [{ cidr: '10.0.0.0/8' }] }, aliases: { alias: '10.0.0.0/8' } },
  };
  /** Forms that the parser accepts although they mean different things to different tools. */
  const SLOPPY = new Set(['10', '10.1', '10/8', '0/0', '10.0.0.01', '10.0.0.1 - 10.0.0.9']);

  it.each(vectors.addresses.ipv4)('understands the IPv4 form %j, or says that it does not', (text) => {
    const set = resolveAddress(text, scopes);
    expect(set).toMatchObject(SLOPPY.has(text) ? { 4: [], rest: 'unknown' } : { rest: 'no' });
    if (!SLOPPY.has(text)) expect(set[4].length).toBeGreaterThan(0);
  });

  it.each(vectors.addresses.ipv6)('understands the IPv6 form %j', (text) => {
    expect(resolveAddress(text, scopes)[6]).toHaveLength(1);
  });

  it.each(vectors.addresses.references)('looks up %j', (text) => {
    const [, scope] = /^\+?(guest|sdn)\//.exec(text) ?? [];
    const expected = scope ? { rest: scope === 'sdn' ? 'unknown' : 'no', 4: [] } : { rest: 'no', 4: [{}] };
    expect(resolveAddress(text, scopes)).toMatchObject(expected);
  });

  const refused = { ...vectors.addresses.rejected, ...vectors.addresses.rejected_by_rule_check };
  it.each(Object.keys(refused).filter((text) => text !== '10.0.0.5/24' && !/^10.*-|^10\.0\.0\.1,fe80/.test(text)))(
    'never takes the refused address %j for something definite',
    (text) => expect(resolveAddress(text, scopes).rest).toBe('unknown'),
  );

  it.each(vectors.ports.accepted)('understands the port list %j', (text) => {
    expect(parseLivePorts(text)?.rest ?? 'no').toBe('no');
  });

  it.each(Object.keys(vectors.ports.rejected).filter((text) => !text.includes('15,16')))(
    'does not guess what the refused port list %j means',
    (text) => expect(parseLivePorts(text)?.rest).toBe('unknown'),
  );

  it.each(vectors.protocols.accepted.filter(Boolean))('knows the protocol %j', (text) => {
    expect(protocolNumber(text)).not.toBeNull();
  });
});
