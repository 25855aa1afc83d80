import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEndpoint, parseEndpoint } from './endpoint';
import { formatMarker, parseMarker } from './marker';
import { PolicyInput, PolicyUpdate, SecurityRuleInput } from './policy';

const definition = { sources: ['any'], targets: ['sg:web'] };
const parse = (change: object) => PolicyInput.safeParse({ name: 'Web', definition, ...change });
const messages = (result: ReturnType<typeof SecurityRuleInput.safeParse>) =>
  result.success ? [] : result.error.issues.map(({ path, message }) => [path.join('.'), message]);

describe('a policy', () => {
  it.each([undefined, null, 'ENFORCED', 'on', 1, {}])(
    'defaults to audit mode when its mode is %j',
    (enforcement_mode) => {
      expect(parse({ definition: { ...definition, enforcement_mode } }).data?.definition.enforcement_mode).toBe(
        'audit',
      );
    },
  );

  it('has the mode enforced only when it is given', () => {
    expect(
      parse({ definition: { ...definition, enforcement_mode: 'enforced' } }).data?.definition.enforcement_mode,
    ).toBe('enforced');
  });

  it('has defaults that change nothing', () => {
    expect(parse({}).data).toEqual({
      name: 'Web',
      description: '',
      ...{ owner: '', ticket: '', expires_at: null },
      enabled: true,
      priority: 1000,
      definition: { enforcement_mode: 'audit', direction: 'in', default_action: 'none', ...definition },
      rules: [],
    });
    expect(PolicyUpdate.parse({})).toEqual({});
  });

  it('must name both sides: nothing is not everything', () => {
    const result = parse({ definition: { sources: [], targets: ['web'] } });
    expect(result.error?.issues[0]).toMatchObject({
      path: ['definition', 'sources'],
      message: expect.stringContaining('any'),
    });
  });

  it('stores endpoints in one form, each once', () => {
    const result = parse({ definition: { ...definition, sources: ['10.0.0.5/24', ' 10.0.0.0/24', '2001:DB8::1'] } });
    expect(result.data?.definition.sources).toEqual(['10.0.0.0/24', '2001:db8::1']);
  });
});

describe('a rule', () => {
  const rule = (fields: object) => SecurityRuleInput.safeParse({ action: 'accept', ...fields });

  it('stores ports sorted and joined', () => {
    const ports = ['443', '80', '81-90', '82'];
    expect(rule({ protocol: 'tcp', destination_ports: ports }).data?.destination_ports).toEqual(['80-90', '443']);
  });

  it.each([
    [{ protocol: 'any', destination_ports: ['22'] }, 'destination_ports', 'Protocol any has no ports.'],
    [{ protocol: 'icmp', source_ports: ['22'] }, 'source_ports', 'Protocol icmp has no ports.'],
    [
      { protocol: 'tcp', destination_ports: ['0'] },
      'destination_ports',
      'Enter ports from 1 to 65535, or ranges such as 8000-8080.',
    ],
    [{ protocol: 'tcp', icmp_type: 'echo-request' }, 'icmp_type', 'Only the protocols icmp and icmpv6 have types.'],
    [
      { protocol: 'icmpv6', icmp_type: 'source-quench' },
      'icmp_type',
      'icmpv6 has no type with this name; echo-request is one.',
    ],
    [
      { protocol: 'icmpv6', icmp_type: 'reject-route' },
      'icmp_type',
      'Nodes with nftables cannot read reject-route: none of their workloads would get new rules. Use destination-unreachable.',
    ],
    [{ protocol: 'TCP' }, 'protocol', 'One of any, tcp, udp, tcp/udp, icmp, icmpv6, sctp.'],
    [{ action: 'ACCEPT' }, 'action', 'One of accept, drop, reject.'],
    [{ comment: 'a\nIN ACCEPT' }, 'comment', 'No line breaks or other control characters.'],
    [{ comment: 'a\u2028b' }, 'comment', 'No line breaks or other control characters.'],
    [{ comment: 'ticket #1' }, 'comment', 'No #: some Proxmox VE versions stop reading rules at this character.'],
    [{ comment: 'x'.repeat(201) }, 'comment', 'At most 200 characters.'],
  ])('%j is refused with a message at %s', (fields, path, message) => {
    expect(messages(rule(fields))).toContainEqual([path, message]);
  });
});

describe('an endpoint', () => {
  it.each([
    ['any', { kind: 'any' }],
    ['sg:web servers', { kind: 'security_group', reference: 'web servers' }],
    ['vmid:105', { kind: 'vmid', vmid: 105, cluster: null }],
    ['vmid:lab/105', { kind: 'vmid', vmid: 105, cluster: 'lab' }],
    ['network:dmz', { kind: 'network', name: 'dmz', cluster: null }],
    ['network: lab / dmz', { kind: 'network', name: 'dmz', cluster: 'lab' }],
    ['network:lab%2f1/a%2Fb', { kind: 'network', name: 'a/b', cluster: 'lab/1' }],
    ['network:100%', { kind: 'network', name: '100%', cluster: null }],
    ['network:100%252F', { kind: 'network', name: '100%2F', cluster: null }],
    ['tag:prod', { kind: 'tag', tag: 'prod' }],
    ['10.0.0.5/24', { kind: 'address', cidr: '10.0.0.0/24' }],
    ['FE80::1', { kind: 'address', cidr: 'fe80::1' }],
    ['web-1.example', { kind: 'workload', name: 'web-1.example' }],
  ])('%s is understood', (text, endpoint) => expect(parseEndpoint(text)).toEqual(endpoint));

  it.each([
    '',
    'sg:',
    'vmid:',
    'vmid:99',
    'vmid:x',
    'vmid:/105',
    'network:',
    'network:/dmz',
    'network:lab/',
    'network:lab/dmz/x',
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.01',
    'role:web',
    'a\nb',
    'x'.repeat(201),
  ])('%j is refused', (text) => expect(parseEndpoint(text)).toEqual({ error: expect.stringMatching(/\.$|:$/) }));

  it('reads back what it prints', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6(),
          fc.string(),
          fc.string().map((text) => `sg:${text}`),
          fc.string().map((text) => `network:${text}`),
        ),
        (text) => {
          const parsed = parseEndpoint(text);
          fc.pre(!('error' in parsed));
          expect(parseEndpoint(formatEndpoint(parsed))).toEqual(parsed);
        },
      ),
    );
  });
});

describe('an endpoint that names a network', () => {
  // As they are stored: trimmed and without control characters.
  const name = fc
    .oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.stringMatching(/^[%/25Ff a]{1,20}$/))
    .map((text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim())
    .filter((text) => text !== '');

  it('keeps its names when parsed again, with and without a cluster', () => {
    fc.assert(
      fc.property(name, fc.option(name), (network, cluster) => {
        const endpoint = { kind: 'network', name: network, cluster } as const;
        expect(parseEndpoint(formatEndpoint(endpoint))).toEqual(endpoint);
      }),
    );
  });
});

describe('the marker', () => {
  const marker = {
    instance: 'a1',
    policy_id: '0192f0c1-7a3b-7c44-9f00-000000000001',
    version: 7,
    rule_hash: '0123456789abcdef',
    vmid: 105,
  };
  const text = '[fabric i=a1 p=0192f0c1-7a3b-7c44-9f00-000000000001 v=7 r=0123456789abcdef g=105]';

  it('reads back what it prints, with or without text behind it', () => {
    expect(formatMarker(marker)).toBe(text);
    expect(parseMarker(text)).toEqual(marker);
    expect(parseMarker(`${text} web to db`)).toEqual(marker);
  });

  it.each([
    undefined,
    '',
    ` ${text}`,
    `x ${text}`,
    `${text}x`,
    text.replace('v=7', 'v=07'),
    text.replace('i=a1 ', ''),
    text.replace(' v', '  v'),
    text.toUpperCase(),
  ])('does not exist in %j', (comment) => expect(parseMarker(comment)).toBeNull());

  it('refuses what could not be read back', () => {
    expect(() => formatMarker({ ...marker, instance: 'a b' })).toThrow(RangeError);
    expect(() => formatMarker({ ...marker, version: 0 })).toThrow(RangeError);
  });
});
