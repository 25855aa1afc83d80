import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DraftSeed, draftPath, draftPathFor, toFlowSeed, toGroupSeed } from './draft-link';
import { parseDraftLink } from './parse-draft-link';

const ID = '01980000-0000-7000-8000-000000000001';
const OTHER = '01980000-0000-7000-8000-000000000002';
const read = (path: string) => parseDraftLink(new URL(path, 'http://fabric.test').searchParams);

const flow = {
  source_ip: '10.0.0.5',
  destination_ip: '10.0.0.9',
  source_workload_id: ID,
  destination_workload_id: OTHER,
  protocol: 'tcp',
  source_port: 50_000,
  destination_port: 443,
  initiator: null,
  action: 'allowed',
};

describe('draft links', () => {
  it('lead to the traffic that they were made of, and to nothing wider', () => {
    const end = fc.record(
      {
        workload_id: fc.constantFrom(null, ID, OTHER),
        address: fc.constantFrom(null, '203.0.113.9', 'fd00::1', '10.0.0.0/24'),
      },
      { requiredKeys: [] },
    );
    const seeds = fc.record({
      source: end,
      destination: end,
      protocol: fc.constantFrom(null, 'tcp', 'icmp', 'gre'),
      port: fc.option(fc.integer({ min: 1, max: 65_535 })),
      action: fc.constantFrom('allowed', 'dropped', 'rejected', 'unknown', 'mixed'),
    });
    fc.assert(
      fc.property(seeds, fc.constantFrom('allow' as const, 'as_observed' as const), (seed: DraftSeed, kind) => {
        const input = read(draftPath(seed, kind));
        const given = (value: unknown) => value ?? undefined;
        expect(input?.source.workload_id).toBe(given(seed.source?.workload_id));
        expect(input?.source.address).toBe(given(seed.source?.address));
        expect(input?.destination.workload_id).toBe(given(seed.destination?.workload_id));
        expect(input?.destination.address).toBe(given(seed.destination?.address));
        expect([input?.protocol, input?.port]).toEqual([given(seed.protocol), given(seed.port)]);
        const denied = { dropped: 'drop', rejected: 'reject' }[seed.action ?? ''];
        expect(input?.action).toBe(kind === 'allow' ? 'accept' : (denied ?? 'accept'));
      }),
    );
  });

  it('name several workloads at an end, and one as such', () => {
    const source = { workload_ids: [ID, OTHER] };
    expect(read(draftPath({ source, destination: { workload_ids: [ID] } }, 'allow'))).toMatchObject({
      source,
      destination: { workload_id: ID },
    });
    expect(read(draftPath({ source: { workload_ids: [], address: '10.0.0.5' } }, 'allow'))?.source).toEqual({
      address: '10.0.0.5',
    });
  });

  it('lead to a group or one workload', () => {
    expect(read(draftPathFor({ security_group_id: ID }))?.destination).toEqual({ security_group_id: ID });
    expect(read(draftPathFor({ workload_id: ID }))?.destination).toEqual({ workload_ids: [ID] });
  });

  it('contain no draft when it is missing or invalid', () => {
    expect(read('/policies/new')).toBeNull();
    expect(read('/policies/new?draft=true&source=0.0.0.0%2F0')).toBeNull();
    expect(read('/policies/new?draft=true&source_workload_id=web')).toBeNull();
    expect(read('/policies/new?draft=true&port=0')).toBeNull();
  });
});

describe('toFlowSeed', () => {
  it('turns replies around', () => {
    const request = toFlowSeed(flow);
    expect(request).toMatchObject({
      source: { workload_id: ID, address: '10.0.0.5' },
      destination: { workload_id: OTHER, address: '10.0.0.9' },
      port: 443,
    });
    const turned = {
      ...flow,
      source_ip: flow.destination_ip,
      destination_ip: flow.source_ip,
      source_workload_id: OTHER,
      destination_workload_id: ID,
      source_port: 443,
      destination_port: 50_000,
    };
    expect(toFlowSeed(turned)).toEqual(request);
    expect(toFlowSeed({ ...turned, source_port: 40_000, initiator: 'destination' })).toEqual({
      ...request,
      port: 40_000,
    });
    const echo = { ...flow, protocol: 'icmp', source_port: null, destination_port: null, icmp_type: 8 };
    const reply = { ...turned, protocol: 'icmp', source_port: null, destination_port: null, icmp_type: 0 };
    expect(toFlowSeed(reply)).toEqual(toFlowSeed(echo));
  });

  it('knows no service of two ephemeral ports', () => {
    expect(toFlowSeed({ ...flow, destination_port: 50_001 }).port).toBeNull();
  });

  it('asks for rules at both ends if the rules of the client deny it', () => {
    const denied = (workload_id: string, action = 'dropped') =>
      toFlowSeed({ ...flow, action, rules_say: { action, workload_id } }).direction;
    expect([denied(ID), denied(ID, 'rejected'), denied(ID, 'allowed'), denied(OTHER)]).toEqual([
      'both',
      'both',
      null,
      null,
    ]);
  });
});

it('a row of totals takes a missing end from the filter of the list, and leaves it out otherwise', () => {
  const none = { workload_id: null, address: null };
  const group = {
    source_workload_id: null,
    source_ip: null,
    source_cidr: null,
    destination_workload_id: null,
    destination_ip: null,
    destination_cidr: null,
    protocol: 'tcp',
    port: 443,
    action: 'mixed' as const,
  };
  expect(toGroupSeed(group, {})).toMatchObject({ source: none, destination: none, protocol: 'tcp', port: 443 });
  expect(toGroupSeed(group, { source_workload_id: 'none', destination_workload_id: ID })).toMatchObject({
    source: none,
    destination: { ...none, workload_id: ID },
  });
});
