import { describe, expect, it } from 'vitest';
import { parseSpan } from '../firewall/address-set';
import { createPolicyUse, findUnusedEndpoints, findUnusedPorts, type UsedEndpoint } from './rule-use';

const toSpans = (cidr: string): UsedEndpoint['spans'] => {
  const span = parseSpan(cidr);
  return { 4: span?.family === 4 ? [span] : [], 6: span?.family === 6 ? [span] : [] };
};

describe('findUnusedPorts', () => {
  it.each([
    [['443', '8000-8002'], [443, 8001], { unused: ['8000', '8002'], used: ['443', '8001'] }],
    [[], [22], { unused: ['1-21', '23-65535'], used: ['22'] }],
    [['443'], [443], null],
    [['443'], [], null],
  ])('divides ports %j by use %j', (destination_ports, used, expected) => {
    expect(findUnusedPorts({ protocol: 'tcp', destination_ports }, new Set(used))).toEqual(expected);
  });

  it('claims nothing about a rule for any port that many ports were used of', () => {
    const used = new Set(Array.from({ length: 16 }, (_, at) => 100 + 2 * at));
    expect(findUnusedPorts({ protocol: 'tcp', destination_ports: [] }, used)).toBeNull();
    expect(findUnusedPorts({ protocol: 'icmp', destination_ports: [] }, new Set([1]))).toBeNull();
  });
});

describe('findUnusedEndpoints', () => {
  const group: UsedEndpoint = {
    endpoint: 'sg:web',
    workloads: [
      { id: 'a', name: 'web-1', addresses: ['10.0.0.1/24'] },
      { id: 'b', name: 'web-2', addresses: ['10.0.0.2'] },
      { id: 'c', name: 'web-3', addresses: [] },
    ],
    spans: { 4: [], 6: [] },
  };
  const prefix: UsedEndpoint = { endpoint: '192.0.2.0/24', workloads: [], spans: toSpans('192.0.2.0/24') };

  it('lists prefixes without a conversation, and members of a group that was used', () => {
    const { source } = createPolicyUse();
    source.addresses.add('10.0.0.1');
    source.workloads.add('b');
    expect(findUnusedEndpoints([group, prefix], source)).toEqual({
      endpoints: ['192.0.2.0/24'],
      members: ['sg:web: web-3'],
    });
    source.addresses.add('192.0.2.7');
    expect(findUnusedEndpoints([group, prefix], source).endpoints).toEqual([]);
  });

  it('claims nothing about a side that was not used at all', () => {
    expect(findUnusedEndpoints([group, prefix], createPolicyUse().source)).toEqual({ endpoints: [], members: [] });
  });
});
