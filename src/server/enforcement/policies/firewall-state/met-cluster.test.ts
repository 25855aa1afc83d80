import fc from 'fast-check';
import { expect, it } from 'vitest';
import { concernsGuest, findClusterChanges } from '@/domain/firewall/cluster-changes';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { InputWorkload } from '../../queries/policy-inputs';
import { findMetCluster } from './met-cluster';

const READ_AT = '2026-11-30T00:00:00Z';
const GUEST: GuestSnapshot = {
  ...{
    presence: 'present',
    options: { enable: 1 },
    ipsets: {},
    aliases: {},
    nics: [],
    pending_nics: [],
    unreadable: [],
  },
  rules: [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source: 'dc/used' }],
};

function makeSnapshot([used, unused, nodeA, nodeB]: readonly number[]): ClusterSnapshot {
  const node = (number = 0) => ({ options: {}, networks: [`192.0.2.${number}/24`], rules: [] });
  return {
    ...{ firewall_enabled: true, groups: {}, ipsets: {}, rules: [], unreadable: [] },
    aliases: { used: `10.0.0.${used}`, unused: `10.0.0.${unused}` },
    nodes: { a: node(nodeA), b: node(nodeB) },
  };
}

const makeWorkload = (node_name: string | null) => ({ id: 'guest', cluster_id: 'cluster', node_name }) as InputWorkload;

function ask(cluster: ClusterSnapshot, node: string | null, guest = GUEST): ClusterSnapshot | null {
  const read = { read_at: READ_AT, workload_id: 'guest', state: guest };
  const snapshots = {
    guests: new Map([['guest', read]]),
    clusters: new Map([['cluster', { read_at: READ_AT, state: cluster }]]),
  };
  return findMetCluster(snapshots, makeWorkload(node));
}

it('gives a snapshot on which the guest depends in the same way as on the last one, in any order of questions', () => {
  const snapshot = fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }).map(makeSnapshot);
  const nodes = fc.constantFrom('a', 'b', null);
  fc.assert(
    fc.property(fc.array(fc.tuple(snapshot, nodes), { minLength: 2, maxLength: 60 }), (questions) => {
      const guest = { ...GUEST };
      for (const [cluster, node] of questions) {
        const met = ask(cluster, node, guest);
        if (met === null) throw new Error('expected a snapshot');
        expect(concernsGuest(findClusterChanges(met, cluster), guest, node)).toBe(false);
      }
    }),
  );
});

it('gives the same snapshot as before until the guest is concerned, and then the last one', () => {
  const guest = { ...GUEST };
  const [first, others, used, node] = [
    [1, 1, 1, 1],
    [1, 2, 1, 2],
    [2, 2, 1, 2],
    [2, 2, 2, 2],
  ].map(makeSnapshot);
  if (!first || !others || !used || !node) throw new Error('expected snapshots');
  expect(ask(first, 'a', guest)).toBe(first);
  expect(ask(others, 'a', guest)).toBe(first);
  expect(ask(used, 'a', guest)).toBe(used);
  expect(ask(node, 'a', guest)).toBe(node);
  // The workload moves: what differs about its new node concerns it.
  const moved = { ...GUEST };
  expect(ask(first, 'a', moved)).toBe(first);
  expect(ask(others, 'a', moved)).toBe(first);
  expect(ask(others, 'b', moved)).toBe(others);
});

it('keeps few snapshots alive: what was prepared with the oldest ones is prepared again', () => {
  const last = makeSnapshot([0, 200, 0, 0]);
  const guests = Array.from({ length: 30 }, () => ({ ...GUEST }));
  guests.forEach((guest, unused) => {
    ask(makeSnapshot([0, unused, 0, 0]), 'a', guest);
  });
  expect(new Set(guests.map((guest) => ask(last, 'a', guest))).size).toBe(17);
});
