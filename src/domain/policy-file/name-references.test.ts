import { describe, expect, it } from 'vitest';
import { indexInventory } from '../policy/inventory-index';
import { findIdReference, nameReferences } from './name-references';

const id = (n: number) => `0000000${n}-0000-7000-8000-000000000000`;
const [OURS, THEIRS, LAB, FAR, GROUP, OTHER, NET] = [1, 2, 3, 4, 5, 6, 7].map(id) as [string, string, ...string[]];
const [lab = '', far = '', group = '', other = '', net = ''] = [LAB, FAR, GROUP, OTHER, NET];

const workload = (n: number, cluster_id: string, tenant_id: string) => ({
  ...{ id: id(n), cluster_id, vmid: 100 + n, name: `w${n}`, tenant_id, template: false, tags: [], addresses: [] },
});
const inventory = {
  clusters: [
    { id: lab, name: 'lab/west' },
    { id: far, name: 'far' },
  ],
  workloads: [workload(8, lab, OURS), workload(9, far, THEIRS)],
  security_groups: [
    { id: group, name: 'web', tenant_id: OURS, workload_ids: [] },
    { id: other, name: 'secret', tenant_id: THEIRS, workload_ids: [] },
  ],
  networks: [{ id: net, cluster_id: far, name: 'dmz', cidrs: [], cidrs_of_owners: { [THEIRS]: [] } }],
};
const index = {
  ...indexInventory(inventory),
  cluster_names: new Map(inventory.clusters.map((cluster) => [cluster.id, cluster.name])),
};
const name = (text: string, owner: string | null) => nameReferences(text, index, owner);

describe('nameReferences', () => {
  it.each([
    [`sg:${group}`, 'sg:web'],
    [`vmid:${lab}/108`, 'vmid:lab/west/108'],
    [`!node:${lab}/pve1`, '!node:lab%2Fwest/pve1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['web-01', 'web-01'],
  ])('writes %s by name', (text, expected) => {
    expect(name(text, OURS)).toEqual({ text: expected });
  });

  it('writes no name that only others know', () => {
    for (const text of [`sg:${other}`, `vmid:${far}/109`, `network:${far}/${net}`, `network:${net}`]) {
      expect(name(text, OURS)).toEqual({ text });
      expect(name(text, THEIRS)).not.toEqual({ text });
    }
  });

  it('refuses a name that means several groups', () => {
    const twice = [...inventory.security_groups, { ...inventory.security_groups[0], id: net, tenant_id: THEIRS }];
    const groups = indexInventory({ ...inventory, security_groups: twice as typeof inventory.security_groups }).groups;
    expect(nameReferences(`sg:${group}`, { ...index, groups }, null)).toHaveProperty('problem');
    expect(nameReferences(`sg:${group}`, { ...index, groups }, OURS)).toEqual({ text: 'sg:web' });
  });
});

it('finds references by id', () => {
  expect(
    [`sg:${group}`, `network:${lab}/dmz`, `!vmid:${lab}/105`].map((text) => findIdReference(text) === null),
  ).toEqual([false, false, false]);
  expect(['sg:web', 'any', 'vmid:lab/105', 'network:dmz', 'x'].map(findIdReference)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
