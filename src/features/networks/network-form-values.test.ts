import { expect, test } from 'vitest';
import { EMPTY_NETWORK, toNetworkInput, toNetworkUpdate, toNetworkValues } from './network-form-values';

const stored = { name: 'lab', vlan_tag: 12, description: '', version: 3 };

test('only changes are sent, and never another cluster', () => {
  expect(toNetworkUpdate(toNetworkValues(stored), stored)).toEqual({ version: 3 });
  expect(toNetworkUpdate({ ...toNetworkValues(stored), cluster_id: 'c1', vlan_tag: null }, stored)).toEqual({
    vlan_tag: null,
    version: 3,
  });
});

test('a new one belongs to a cluster', () => {
  expect(toNetworkInput({ ...EMPTY_NETWORK, cluster_id: 'c1', name: 'lab' })).toEqual({
    cluster_id: 'c1',
    name: 'lab',
    vlan_tag: null,
    description: '',
  });
});
