import { describe, expect, it } from 'vitest';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { Topology } from '@/domain/topology/topology';
import { english } from '@/lib/i18n/translator';
import { type Box, layOut } from './lay-out';
import { buildMap, countVerdicts, MAP_GROUPINGS, type MapChoice } from './map-model';
import { randomTopology } from './random-topology.fixture';

const ALL: MapChoice = { grouping: 'network', verdicts: new Set(EDGE_VERDICTS), idle: true };
const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const inside = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const shuffled = (topology: Topology): Topology => ({
  ...topology,
  clusters: [...topology.clusters].reverse(),
  networks: [...topology.networks].reverse(),
  workloads: [...topology.workloads].reverse(),
  peers: [...topology.peers].reverse(),
  edges: [...topology.edges].reverse(),
});

describe('layOut', () => {
  for (const grouping of MAP_GROUPINGS) {
    for (const workloads of [1, 2, 17, 500]) {
      it(`puts ${workloads} workloads by ${grouping} beside each other, inside their groups and clusters`, () => {
        const topology = randomTopology(workloads, { workloads, edges: 3 * workloads });
        const model = buildMap(english, topology, { ...ALL, grouping });
        const layout = layOut(model.clusters);
        const whole = { x: 0, y: 0, width: layout.width, height: layout.height };
        expect(layout.nodes.size).toBe(model.nodes.size);
        const apart = (boxes: Box[]) => {
          for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) expect(overlap(a, b)).toBe(false);
        };
        apart([...layout.clusters.values()]);
        apart([...layout.groups.values()]);
        const boxOf = (boxes: ReadonlyMap<string, Box>, id: string) =>
          boxes.get(id) ?? { x: -1, y: -1, width: 0, height: 0 };
        for (const cluster of model.clusters) {
          expect(inside(boxOf(layout.clusters, cluster.id), whole)).toBe(true);
          for (const group of cluster.groups) {
            expect(inside(boxOf(layout.groups, group.id), boxOf(layout.clusters, cluster.id))).toBe(true);
            const nodes = group.nodes.map(({ id }) => boxOf(layout.nodes, id));
            for (const node of nodes) expect(inside(node, boxOf(layout.groups, group.id))).toBe(true);
            apart(nodes);
          }
        }
      });
    }
  }

  it('gives the same places whatever the order of the answer', () => {
    const topology = randomTopology(7, { workloads: 200, edges: 600 });
    const once = layOut(buildMap(english, topology, ALL).clusters);
    expect(layOut(buildMap(english, shuffled(topology), ALL).clusters)).toEqual(once);
  });

  it('fills a screen: 500 workloads are neither a column nor a line', () => {
    const { width, height } = layOut(
      buildMap(english, randomTopology(3, { workloads: 500, edges: 900 }), ALL).clusters,
    );
    expect(width / height).toBeGreaterThan(1.1);
    expect(width / height).toBeLessThan(2.6);
    // Names are readable without zooming on a screen of 1440 × 900.
    expect(width).toBeLessThan(2400);
  });
});

describe('buildMap', () => {
  const topology = randomTopology(11, { workloads: 60, edges: 150 });

  it('shows verdicts that are chosen only, and marks nodes by the weightiest shown', () => {
    const model = buildMap(english, topology, { ...ALL, verdicts: new Set(['dropped'] as const) });
    const dropped = topology.edges.filter(({ verdict }) => verdict === 'dropped');
    expect(model.links.length).toBe(dropped.length);
    for (const node of model.nodes.values()) expect(node.verdict).toBe(node.links === 0 ? null : 'dropped');
    const counted = countVerdicts(topology);
    expect(counted[0]).toEqual({ verdict: 'dropped', edges: dropped.length });
    expect(counted.reduce((sum, { edges }) => sum + edges, 0)).toBe(topology.edges.length);
  });

  it('hides workloads without links when asked to, and groups that become empty', () => {
    const none = buildMap(english, { ...topology, edges: [] }, { ...ALL, idle: false });
    expect([none.nodes.size, none.groups.size, none.clusters.length]).toEqual([0, 0, 0]);
    const busy = buildMap(english, topology, { ...ALL, idle: false });
    for (const node of busy.nodes.values()) expect(node.links).toBeGreaterThan(0);
  });

  it('has one outside for each cluster unless it is grouped by network', () => {
    const model = buildMap(english, topology, { ...ALL, grouping: 'project' });
    const peers = [...model.nodes.values()].filter(({ kind }) => kind !== 'workload');
    expect(peers.map(({ id }) => id).sort()).toEqual(topology.clusters.map(({ id }) => `external:${id}`));
    const bytes = (links: readonly { bytes: number }[]) => links.reduce((sum, link) => sum + link.bytes, 0);
    expect(bytes(model.links)).toBe(bytes(topology.edges));
    for (const link of model.links)
      expect([model.nodes.has(link.source), model.nodes.has(link.destination)]).toEqual([true, true]);
  });
});
