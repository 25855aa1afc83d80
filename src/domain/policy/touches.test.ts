import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { indexInventory } from './inventory-index';
import { PolicyDefinition } from './policy';
import { isPeer, members } from './policy-model.fixture';
import { DEAD_ENDPOINTS, ENDPOINTS, INVENTORY } from './random-policies.fixture';
import { listTouches } from './touches';

const INDEX = indexInventory(INVENTORY);
const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const HOSTS = INVENTORY.workloads.flatMap(({ id, addresses }) =>
  addresses.map((address) => ({ workload_id: id, address: ip(address.replace(/\/.*/, '')) })),
);
const STRANGERS = ['192.0.2.77', '10.0.0.200', '2001:db8::77'].map((text) => ({
  workload_id: null,
  address: ip(text),
}));

describe('listTouches', () => {
  it('agrees with the model: the workload itself, an address among those meant, or any', () => {
    const endpoint = fc.constantFrom(...ENDPOINTS, ...DEAD_ENDPOINTS, 'any');
    fc.assert(
      fc.property(
        fc.uniqueArray(endpoint, { maxLength: 4 }),
        fc.uniqueArray(endpoint, { maxLength: 4 }),
        fc.constantFrom(...HOSTS, ...STRANGERS),
        fc.constantFrom(null, ...INVENTORY.workloads.map(({ tenant_id }) => tenant_id)),
        (sources, targets, subject, tenant_id) => {
          const definition = { ...PolicyDefinition.parse({ sources: ['any'], targets: ['any'] }), sources, targets };
          const expected = [
            ...sources.map((text) => ({ side: 'source', endpoint: text })),
            ...targets.map((text) => ({ side: 'target', endpoint: text })),
          ].flatMap((item) => {
            const running = members(item.endpoint, INVENTORY, tenant_id).filter(({ template }) => !template);
            if (running.some(({ id }) => id === subject.workload_id)) return [{ ...item, by: 'workload' }];
            if (!isPeer(item.endpoint, subject.address, INVENTORY, tenant_id)) return [];
            return [{ ...item, by: item.endpoint === 'any' ? 'any' : 'address' }];
          });
          expect(listTouches({ tenant_id, definition }, subject, INDEX)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
