import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Listing, NetworkFact } from '@/server/providers/hypervisor/types';
import { mergeNodeNetworks, type PresentNetwork, planNetworks } from './networks';

const now = new Date('2026-03-01T12:00:00.000Z');
const list = <T>(items: T[], complete = true): Listing<T> => ({
  items,
  complete,
  incompleteReason: complete ? null : 'filtered',
});

describe('the plan for networks', () => {
  const bridge = (name: string, node: string, changes: Partial<NetworkFact> = {}): NetworkFact => ({
    name,
    kind: 'bridge',
    zone: 'localnetwork',
    vlan_tag: null,
    vlan_aware: false,
    alias: null,
    node_names: [node],
    ...changes,
  });
  const row = (name: string, changes: Partial<PresentNetwork> = {}): PresentNetwork => ({
    id: name,
    name,
    kind: 'bridge',
    zone: 'localnetwork',
    vlan_tag: null,
    vlan_aware: false,
    alias: null,
    node_names: ['a', 'b'],
    source: 'provider',
    missing_since: null,
    in_use: false,
    ...changes,
  });
  const options = { complete: true, unreadNodes: new Set<string>(), nullMeansUnknown: false };

  it('creates one network for the same name on many nodes, whichever answered first', () => {
    const lists = [
      ['b', list([bridge('vmbr0', 'b', { alias: 'of b' }), bridge('vmbr1', 'b')])],
      ['a', list([bridge('vmbr0', 'a', { alias: null, vlan_aware: true })])],
      ['c', null],
    ] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...lists], { minLength: 3 }), (order) => {
        expect([...mergeNodeNetworks(new Map(order)).values()]).toEqual([
          bridge('vmbr0', 'a', { alias: 'of b', vlan_aware: true, node_names: ['a', 'b'] }),
          bridge('vmbr1', 'b'),
        ]);
      }),
    );
  });

  it('keeps a node that did not answer among those that have the bridge', () => {
    const plan = planNetworks(
      [bridge('vmbr0', 'a')],
      [row('vmbr0'), row('vmbr9', { node_names: ['b'] })],
      { ...options, complete: false, unreadNodes: new Set(['b']) },
      now,
    );
    expect(plan).toMatchObject({ create: [], change: [], remove: [], mark: [] });
  });

  it('removes unused networks that no complete list contains, and marks the others', () => {
    const stored = [
      row('unused'),
      row('used', { in_use: true }),
      row('marked', { in_use: true, missing_since: now.toISOString() }),
      row('ours', { source: 'manual', kind: 'manual' }),
    ];
    const names = (rows: { name: string }[]) => rows.map((item) => item.name);
    const sure = planNetworks([], stored, options, now);
    expect([names(sure.remove), names(sure.mark)]).toEqual([['unused'], ['used']]);
    const unsure = planNetworks([], stored, { ...options, complete: false }, now);
    expect([names(unsure.remove), names(unsure.mark)]).toEqual([[], ['unused', 'used']]);
  });

  it('leaves networks of people and of the discovery alone, even under the same name', () => {
    const stored = [
      row('vmbr0', { source: 'manual', kind: 'manual' }),
      row('discovered-ipam', { source: 'discovery', kind: 'discovered' }),
    ];
    const plan = planNetworks([bridge('vmbr0', 'a'), bridge('discovered-ipam', 'a')], stored, options, now);
    expect(plan).toMatchObject({ create: [], change: [], remove: [], mark: [], taken: ['discovered-ipam'] });
  });

  it('tells unknown from none', () => {
    const stored = [row('v', { kind: 'vnet', zone: 'z', vlan_tag: 7 })];
    const seen = bridge('v', 'a', { kind: 'vnet', zone: null, node_names: ['a', 'b'] });
    expect(planNetworks([seen], stored, { ...options, nullMeansUnknown: true }, now).change).toEqual([]);
    expect(planNetworks([seen], stored, options, now).change).toMatchObject([{ zone: null, vlan_tag: null }]);
    expect(planNetworks([bridge('x', 'a', { vlan_tag: 0 })], [], options, now).create).toMatchObject([
      { vlan_tag: null },
    ]);
  });
});
