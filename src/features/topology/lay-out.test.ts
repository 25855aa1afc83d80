import { describe, expect, it } from 'vitest';
import { TOPOLOGY_GROUPINGS } from '@/domain/choices';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { Topology } from '@/domain/topology/topology';
import { english } from '@/lib/i18n/translator';
import { type Box, layOut } from './lay-out';
import { buildMap, countVerdicts, type MapChoice } from './map-model';
import { randomTopology } from './random-topology.fixture';

const ALL: MapChoice = { verdicts: new Set(EDGE_VERDICTS), idle: true };
const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const inside = (inner: Box, outer: Box) =>
  inner.x >= outer.x - 1e-6 &&
  inner.y >= outer.y - 1e-6 &&
  inner.x + inner.width <= outer.x + outer.width + 1e-6 &&
  inner.y + inner.height <= outer.y + outer.height + 1e-6;

const shuffled = (topology: Topology): Topology => ({
  ...topology,
  clusters: [...topology.clusters].reverse(),
  networks: [...topology.networks].reverse(),
  workloads: [...topology.workloads].reverse(),
  groups: [...topology.groups].reverse(),
  edges: [...topology.edges].reverse(),
});
const sum = (items: readonly { bytes: number }[]) => items.reduce((total, { bytes }) => total + bytes, 0);

describe('layOut', () => {
  for (const grouping of TOPOLOGY_GROUPINGS) {
    for (const [workloads, expand] of [
      [1, 'all'],
      [17, 'all'],
      [150, 'all'],
      [500, []],
      [60, ['none', 'tag:web', 'tag:db', 'project:00000000-0000-4000-8004-000000000001']],
    ] as const) {
      for (const aspect of [1.7, 0.62]) {
        it(`puts ${workloads} workloads by ${grouping} beside each other, ${expand.length} expanded, aspect ${aspect}`, () => {
          const topology = randomTopology(workloads, { workloads, edges: 3 * workloads }, { grouping, expand });
          const model = buildMap(english, topology, ALL);
          const layout = layOut(model.groups, aspect);
          const whole = { x: 0, y: 0, width: layout.width, height: layout.height };
          expect([...layout.nodes.keys()].sort()).toEqual([...model.nodes.keys()].sort());
          const apart = (boxes: Box[]) => {
            for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) expect(overlap(a, b)).toBe(false);
          };
          apart([...layout.groups.values()]);
          const getBox = (boxes: ReadonlyMap<string, Box>, id: string) =>
            boxes.get(id) ?? { x: -1, y: -1, width: 0, height: 0 };
          for (const group of model.groups) {
            expect(inside(getBox(layout.groups, group.id), whole)).toBe(true);
            const nodes = group.nodes.map(({ id }) => getBox(layout.nodes, id));
            for (const node of nodes) expect(inside(node, getBox(layout.groups, group.id))).toBe(true);
            apart(nodes);
          }
        });
      }
    }
  }

  it('gives the same places whatever the order of the answer', () => {
    for (const expand of [[], 'all'] as const) {
      const topology = randomTopology(7, { workloads: 200, edges: 600 }, { expand });
      const once = layOut(buildMap(english, topology, ALL).groups);
      expect(layOut(buildMap(english, shuffled(topology), ALL).groups)).toEqual(once);
    }
  });

  it('fits a screen of 1440 × 900: 2,000 workloads in groups, and 200 workloads that are expanded', () => {
    const groups = layOut(
      buildMap(english, randomTopology(3, { workloads: 2_000, edges: 9_000 }, { expand: [] }), ALL).groups,
    );
    // The names of groups have 14 px at scale 1.
    expect(Math.min(1080 / groups.width, 640 / groups.height)).toBeGreaterThan(0.7);
    const all = layOut(buildMap(english, randomTopology(3, { workloads: 200, edges: 900 }), ALL).groups);
    expect(all.width / all.height).toBeGreaterThan(1.1);
    expect(all.width / all.height).toBeLessThan(2.6);
    expect(all.width).toBeLessThan(2400);
  });
});

describe('buildMap', () => {
  const topology = randomTopology(11, { workloads: 60, edges: 150 });

  it('shows selected verdicts only, and marks nodes by the most severe one', () => {
    const model = buildMap(english, topology, { ...ALL, verdicts: new Set(['dropped'] as const) });
    const dropped = topology.edges.filter(({ verdict }) => verdict === 'dropped');
    expect(model.links.length).toBe(dropped.length);
    for (const node of model.nodes.values()) expect(node.verdict).toBe(node.links === 0 ? null : 'dropped');
    const counted = countVerdicts(topology);
    expect(counted[0]).toEqual({ verdict: 'dropped', edges: dropped.length });
    expect(counted.reduce((total, { edges }) => total + edges, 0)).toBe(topology.edges.length);
  });

  it('hides nodes without links when asked to, and groups that become empty', () => {
    const none = buildMap(english, { ...topology, edges: [] }, { ...ALL, idle: false });
    expect([none.nodes.size, none.groups.length]).toEqual([0, 0]);
    const busy = buildMap(english, topology, { ...ALL, idle: false });
    for (const node of busy.nodes.values()) expect(node.links).toBeGreaterThan(0);
  });

  it('has External once, and the same totals however workloads are grouped and expanded', () => {
    const traffic = { workloads: 60, edges: 150 };
    const expected = sum(topology.edges);
    expect(expected).toBeGreaterThan(0);
    for (const grouping of TOPOLOGY_GROUPINGS) {
      for (const expand of ['all', [], ['none', 'tag:web']] as const) {
        const model = buildMap(english, randomTopology(11, traffic, { grouping, expand }), ALL);
        expect(sum(model.links)).toBe(expected);
        expect([...model.nodes.values()].filter(({ kind }) => kind === 'external').map(({ id }) => id)).toEqual([
          'external',
        ]);
      }
    }
  });

  it('lists groups and workloads in natural order, External first', () => {
    const names = ['web-10', 'web-9', 'web-100', 'web-1'];
    const few = randomTopology(5, { workloads: 4, edges: 30 }, { grouping: 'tag' });
    const workloads = few.workloads.map((workload, i) => ({ ...workload, name: names[i] ?? '', tags: ['one'] }));
    const group = { id: 'tag:one', kind: 'tag', name: 'one', cluster_id: null, workloads: 4, expanded: true } as const;
    const tags = ['vlan10', 'vlan9'].map((tag) => ({ ...group, id: `tag:${tag}`, name: tag, expanded: false }));
    const nothing = { found: 0, prefixes: [], prefixes_total: 0 };
    const external = few.groups.filter(({ kind }) => kind === 'external');
    const groups = [...[group, ...tags].map((one) => ({ ...one, ...nothing })), ...external];
    const model = buildMap(english, { ...few, workloads, groups }, ALL);
    expect(model.groups.map(({ label }) => label)).toEqual(['External', 'one', 'vlan9', 'vlan10']);
    expect(model.groups[1]?.nodes.map(({ label }) => label)).toEqual(['web-1', 'web-9', 'web-10', 'web-100']);
  });
});
