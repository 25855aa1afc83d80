import { describe, expect, test } from 'vitest';
import {
  addressFieldName,
  EMPTY_ADDRESS,
  NO_BULK_CHANGE,
  toAddressInput,
  toAddressUpdate,
  toAddressValues,
  toAllocateInput,
  toBulkChanges,
} from './address-form-values';

describe('address form values', () => {
  const workload = {
    id: 'w1',
    name: 'web-01',
    vmid: 100,
    kind: 'qemu' as const,
    external_id: 'qemu/100',
    status: 'running' as const,
    project_id: null,
  };
  const stored = {
    address: '10.0.0.5',
    state: 'stale' as const,
    workload_id: 'w1',
    workload,
    interface_id: 'i1',
    mac: 'bc:24:11:00:00:01',
    hostname: null,
    description: 'x',
    version: 7,
  };

  test('an unchanged form changes nothing, not even a state that only a discovery sets', () => {
    expect(toAddressUpdate(toAddressValues(stored), stored)).toEqual({ version: 7 });
  });

  test('only what was changed is sent', () => {
    expect(toAddressUpdate({ ...toAddressValues(stored), state: 'reserved', hostname: 'db1 ' }, stored)).toEqual({
      state: 'reserved',
      hostname: 'db1',
      version: 7,
    });
  });

  test('contain no interface without a workload', () => {
    expect(toAddressUpdate({ ...toAddressValues(stored), workload: null }, stored)).toEqual({
      workload_id: null,
      interface_id: null,
      version: 7,
    });
  });

  test('a new address has its network; the next free one has not chosen itself', () => {
    const values = { ...EMPTY_ADDRESS, network: { value: 'n1', label: 'vmbr0' }, address: ' 10.0.0.9 ' };
    expect(toAddressInput(values)).toMatchObject({
      network_id: 'n1',
      address: '10.0.0.9',
      workload_id: null,
      mac: null,
    });
    expect(toAllocateInput(values)).not.toHaveProperty('address');
    expect(addressFieldName('workload_id')).toBe('workload');
  });
});

describe('bulk edit values', () => {
  test('only what is ticked is changed', () => {
    expect(toBulkChanges(NO_BULK_CHANGE)).toEqual({});
    expect(toBulkChanges({ ...NO_BULK_CHANGE, release: true, description: 'x' })).toEqual({ workload_id: null });
    expect(toBulkChanges({ ...NO_BULK_CHANGE, set_state: true, set_description: true })).toEqual({
      state: 'reserved',
      description: '',
    });
  });
});
