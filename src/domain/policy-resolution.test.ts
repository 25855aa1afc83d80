import { expect, test } from 'vitest';
import { indexInventory } from './policy/inventory-index';
import { describeEndpoints } from './policy-resolution';

const workload = (n: number, addresses: string[], extra = {}) => ({
  id: `w${n}`,
  cluster_id: 'c1',
  vmid: 100 + n,
  name: `web-${n}`,
  tenant_id: n % 2 ? 't1' : null,
  template: false,
  tags: ['web'],
  addresses,
  ...extra,
});
const index = indexInventory({
  clusters: [{ id: 'c1', name: 'lab' }],
  workloads: [workload(1, ['10.0.0.1/24']), workload(2, []), workload(3, ['10.0.0.3'], { template: true })],
  security_groups: [{ id: 'g1', name: 'web', tenant_id: null, workload_ids: ['w1', 'w2'] }],
  networks: [{ id: 'n1', name: 'dmz', cidrs: ['10.9.0.0/24'] }],
});
const describeOne = (endpoint: string, tenant: string | null = null) => {
  const [found] = describeEndpoints([endpoint], index, tenant, (id) => `name of ${id}`);
  if (!found) throw new Error('nothing described');
  return found;
};

test('a group stands for its members, and for the addresses of those that have some', () => {
  const { places, peers } = describeOne('sg:web');
  expect(places.workloads.map(({ name, cluster_name }) => `${name} ${cluster_name}`)).toEqual([
    'web-1 name of c1',
    'web-2 name of c1',
  ]);
  expect(peers).toMatchObject({ cidrs: ['10.0.0.1'], without_address: ['web-2'], any: false, reason: null });
});

test('a network is no place for rules, any is every address, a template is neither', () => {
  expect(describeOne('network:dmz')).toMatchObject({
    places: { reason: 'not_a_workload' },
    peers: { cidrs: ['10.9.0.0/24'] },
  });
  expect(describeOne('any')).toMatchObject({ places: { reason: 'not_a_workload' }, peers: { any: true } });
  expect(describeOne('web-3')).toMatchObject({ places: { reason: 'template' }, peers: { reason: 'template' } });
});

test('a tenant is told about its own workloads only', () => {
  expect(describeOne('tag:web', 't1').places.workloads.map(({ id }) => id)).toEqual(['w1']);
  expect(describeOne('sg:web', 't1').places.reason).toBe('not_found');
});

test('long lists are cut and counted', () => {
  const many = indexInventory({
    clusters: [],
    workloads: Array.from({ length: 60 }, (_, n) => workload(n, [`10.1.${n * 2}.1`])),
    security_groups: [],
    networks: [],
  });
  const [found] = describeEndpoints(['tag:web'], many, null, () => '');
  expect(found?.places).toMatchObject({ workloads_total: 60 });
  expect(found?.places.workloads).toHaveLength(25);
  expect(found?.peers).toMatchObject({ cidrs_total: 60 });
  expect(found?.peers.cidrs).toHaveLength(25);
});
