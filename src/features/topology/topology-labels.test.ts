import { describe, expect, it } from 'vitest';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { english } from '@/lib/i18n/translator';
import { buildMap } from './map-model';
import { randomTopology } from './random-topology.fixture';
import { isMatch, omittedText, servicesText } from './topology-labels';

const service = (port: number | null) => ({
  protocol: 'tcp',
  port,
  bytes: 1,
  packets: 1,
  flows: 1,
  last_seen_at: '2026-01-01T00:00:00.000Z',
});

describe('servicesText', () => {
  it('names some services and counts the others', () => {
    expect(servicesText(english, { services: [service(443), service(null)], services_total: 2 })).toBe('tcp/443, tcp');
    const many = [1, 2, 3, 4, 5].map(service);
    expect(servicesText(english, { services: many, services_total: 9 })).toBe('tcp/1, tcp/2, tcp/3, tcp/4 and 5 more');
  });
});

describe('nodes', () => {
  const topology = randomTopology(2, { workloads: 30, edges: 200 });
  const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });
  const [first] = topology.workloads;
  const node = first && model.nodes.get(first.id);
  const peer = [...model.nodes.values()].find(({ kind }) => kind === 'external');

  it('have names that tell them apart', () => {
    const names = [...model.groups, ...model.nodes.values()].map(({ label }) => label);
    // External is a group and a node.
    expect(new Set(names).size).toBe(names.length - 1);
    expect(names).toContain('vmbr0, VLAN 10 (cluster-1)');
  });

  it('match by name, address, VMID, tag, project and prefix', () => {
    if (!node || !first || !peer) throw new Error('the fixture is empty');
    const words = [first.name.toUpperCase(), first.addresses[0] ?? '', String(first.vmid), '', ...first.tags];
    for (const word of words) expect(isMatch(node, word), word).toBe(true);
    expect(isMatch(node, 'no such thing')).toBe(false);
    expect(isMatch(peer, '203.0.113')).toBe(true);
    expect(isMatch(peer, '198.51')).toBe(false);
    const collapsed = buildMap(english, randomTopology(2, { workloads: 30, edges: 200 }, { expand: [] }), {
      verdicts: new Set(EDGE_VERDICTS),
      idle: true,
    });
    const group = [...collapsed.nodes.values()].find(({ kind }) => kind === 'group');
    if (!group?.group) throw new Error('the fixture is empty');
    expect(isMatch(group, first.name)).toBe(false);
    expect(isMatch({ ...group, group: { ...group.group, found: 1 } }, first.name)).toBe(true);
  });
});

it('workloads of collapsed groups are not reported as omitted', () => {
  for (const expand of [[], 'all'] as const) {
    expect(omittedText(english, randomTopology(2, { workloads: 30, edges: 200 }, { expand }))).toBeNull();
  }
  const all = randomTopology(2, { workloads: 30, edges: 200 });
  expect(omittedText(english, { ...all, workloads: all.workloads.slice(2) })).toBe('2 workloads');
});
