import { describe, expect, it } from 'vitest';
import { moveRule } from '../routes/firewall-rule-routes';
import vectors from '../vectors/firewall.json';
import { addressFormat, cleanSetEntry, parseAddressSpec } from './address-spec';
import { computeListDigest, computeObjectDigest } from './digest';
import { FILE_SCOPES, parseFirewallFile } from './firewall-file';
import type { FirewallRule } from './firewall-rule';
import { destinationPortFormat, protocolFormat, sourcePortFormat } from './port-spec';
import { checkRule } from './rule-check';
import { parseRuleLine, printRule } from './rule-text';

const references = {
  datacenter: { aliases: new Map([['alias', { ipversion: 4 as const }]]), ipsets: new Set(['set']) },
  guest: { aliases: new Map(), ipsets: new Set<string>() },
  sdnSets: new Set<string>(),
};

const check = (fields: object) => {
  const rule = { ...fields } as FirewallRule;
  return checkRule(rule, 'vm', references, false).errors ?? {};
};

describe('recorded vectors of the real parser', () => {
  it.each(vectors.moves.cases)('moves %i to %i: %s', (pos, target, result) => {
    expect(moveRule([...vectors.moves.start], Number(pos), Number(target)).join('')).toBe(result);
  });

  it.each(vectors.addresses.ipv4)('accepts the IPv4 form %j', (text) => {
    expect(parseAddressSpec(text)).toEqual({ family: 4 });
  });

  it.each(vectors.addresses.ipv6)('accepts the IPv6 form %j', (text) => {
    expect(parseAddressSpec(text)).toEqual({ family: 6 });
  });

  it.each(vectors.addresses.references)('accepts the reference %j without a family', (text) => {
    expect(parseAddressSpec(text)).toEqual({});
  });

  it.each(Object.entries(vectors.addresses.rejected))('rejects the address %j', (text, error) => {
    expect(addressFormat(text)).toBe(error);
  });

  it.each(Object.entries(vectors.addresses.rejected_by_rule_check))('refuses %j in a rule', (text, error) => {
    expect(addressFormat(text)).toBeUndefined();
    expect(check({ type: 'in', action: 'ACCEPT', source: text })).toEqual({ source: error });
  });

  it.each(vectors.ports.accepted)('accepts the port list %j', (text) => {
    expect([destinationPortFormat(text), sourcePortFormat(text)]).toEqual([undefined, undefined]);
  });

  it.each(vectors.ports.accepted_as_destination)('accepts %j as destination only', (text) => {
    expect(destinationPortFormat(text)).toBeUndefined();
    expect(sourcePortFormat(text)).toBe(`invalid port '${text}'`);
  });

  it.each(Object.entries(vectors.ports.rejected))('rejects the port list %j', (text, error) => {
    expect(destinationPortFormat(text)).toBe(error);
  });

  it.each(vectors.protocols.accepted)('accepts the protocol %j', (text) => {
    expect(protocolFormat(text)).toBeUndefined();
  });

  it.each(vectors.protocols.rejected)('rejects the protocol %j', (text) => {
    expect(protocolFormat(text)).toBe(`unknown protocol '${text}'`);
  });

  it.each(vectors.rule_errors as [object, object][])('finds what is wrong with %j', (rule, errors) => {
    expect(check(rule)).toEqual(errors);
  });

  it.each(vectors.comments)('stores the comment %j as %j', (sent, readBack) => {
    const rule: FirewallRule = {
      type: 'in',
      action: 'ACCEPT',
      enable: 1,
      ...(sent !== '' && sent !== '-' && { comment: sent ?? '' }),
    };
    expect(parseRuleLine(printRule(rule, true))?.comment ?? null).toBe(readBack);
  });

  it('computes the digests', () => {
    expect(computeListDigest([])).toBe(vectors.digests.empty);
    expect(computeListDigest(vectors.digests.rules.rules)).toBe(vectors.digests.rules.digest);
    expect(computeObjectDigest(vectors.digests.options.options)).toBe(vectors.digests.options.digest);
  });

  it('reads the rules of the digest vector from a file with the same result', () => {
    const lines = [
      'IN ACCEPT -source gone -p tcp -dport 22 # stale',
      'IN SSH(ACCEPT) -i net0 -source +myset',
      '|OUT DROP -dest web',
      'GROUP web -i net1 # g',
      'IN ACCEPT -p tcp/udp',
      'IN ACCEPT -p tcp -dport www',
      'IN ACCEPT -p udp -dport 53 -log info # [fabric policy=a v=1]',
    ];
    const text = `[ALIASES]\nweb 10.0.0.0/24\n[IPSET MySet]\n[RULES]\n${lines.join('\n')}\n`;
    const { rules } = parseFirewallFile(text, FILE_SCOPES.cluster, { sdnSets: new Set() });
    expect(rules.map(({ errors, ...rule }) => rule)).toEqual(vectors.digests.rules.rules);
    expect(computeListDigest(rules)).toBe(vectors.digests.rules.digest);
    expect(rules[0]?.errors).toEqual({ source: "no such alias 'gone'" });
  });
});

describe('what storing does to values', () => {
  const reread = (rule: Partial<FirewallRule>) =>
    parseRuleLine(printRule({ type: 'in', action: 'ACCEPT', enable: 1, ...rule }, true));

  it('loses a port of 0, which leaves a rule for every port', () => {
    expect(reread({ dport: '0', proto: 'tcp' })).toEqual({ type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp' });
  });

  it('loses the whole rule when a range was written with blanks', () => {
    expect(reread({ source: '10.0.0.1 - 10.0.0.9' })).toBeUndefined();
  });

  it('starts further rules at a line feed', () => {
    const text = `[RULES]\n${printRule({ type: 'in', action: 'DROP', enable: 1, comment: 'line1\nIN ACCEPT\nx' }, true)}\n`;
    const { rules } = parseFirewallFile(text, FILE_SCOPES.qemu, {
      datacenter: references.datacenter,
      sdnSets: new Set(),
    });
    expect(rules.map(({ action, comment }) => [action, comment])).toEqual([
      ['DROP', 'line1'],
      ['ACCEPT', undefined],
    ]);
  });

  it('keeps only interface and comment of a group rule', () => {
    expect(reread({ type: 'group', action: 'web', proto: 'tcp', iface: 'net0', comment: 'x' })).toEqual({
      type: 'group',
      action: 'web',
      enable: 1,
      iface: 'net0',
      comment: 'x',
    });
  });

  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['2001:db8:1::5/48', '2001:db8:1::/48'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
  ])('stores the set entry %s as %s', (sent, stored) => {
    expect(cleanSetEntry(sent)).toBe(stored);
  });
});
