import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyDraftInput } from '../policy-draft';
import { indexInventory } from './inventory-index';
import { proposeEndpoint } from './propose-endpoint';
import { INVENTORY } from './random-policies.fixture';
import { resolvePeers, resolveWorkloads } from './resolve';

const index = indexInventory(INVENTORY);
const ids = INVENTORY.workloads.map(({ id }) => id);
const owners = [null, 't1', 't2', 'unknown'];

/** What policies of the owner find behind the text. */
const resolveIds = (text: string, owner: string | null) => {
  const list = resolveWorkloads(text, index, owner);
  return 'reason' in list ? [] : list.map(({ id }) => id);
};
const proposeForWorkload = (workload_id: string, owner: string | null = 't1') =>
  proposeEndpoint({ workload_id }, index, owner).endpoint;

describe('proposeEndpoint', () => {
  it('proposes an endpoint that has the workload, or the address, and never any', () => {
    const kinds = new Map<string | null, number>();
    fc.assert(
      fc.property(
        fc.option(fc.constantFrom(...ids, 'gone'), { nil: undefined }),
        fc.option(fc.constantFrom('203.0.113.9', '10.0.0.0/24', 'fd00::/64'), { nil: undefined }),
        fc.constantFrom(...owners),
        (workload_id, address, owner) => {
          const proposal = proposeEndpoint({ workload_id, address }, index, owner);
          const { endpoint, kind, workload_endpoint: alone } = proposal;
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
          if (endpoint === null) {
            expect(address).toBeUndefined();
            return;
          }
          expect(resolvePeers(endpoint, index, owner)).not.toBe('any');
          if (kind === 'address') {
            expect(endpoint).toBe(address);
            return;
          }
          expect(resolveIds(endpoint, owner)).toContain(workload_id);
          expect(resolveIds(endpoint, owner)).toHaveLength(proposal.workloads_total);
          if (kind === 'workload') expect(resolveIds(endpoint, owner)).toEqual([workload_id]);
          if (alone !== null) expect(resolveIds(alone, owner)).toEqual([workload_id]);
        },
      ),
      { numRuns: 2_000 },
    );
    expect([...kinds.keys()].sort()).toEqual(['address', 'security_group', 'workload', null].sort());
  });

  it('proposes the smallest group of the owner, else the workload by a name that is unambiguous', () => {
    expect(proposeForWorkload('many3')).toBe('sg:some');
    expect(proposeForWorkload('many100')).toBe('sg:many');
    expect(proposeForWorkload('web2')).toBe('sg:web');
    // The smallest group of web1 shares its name with another one.
    expect(proposeForWorkload('web1')).toBe('sg:g6');
    expect(proposeForWorkload('twin-a')).toBe('vmid:106');
    expect(proposeForWorkload('other')).toBe('other');
    // Groups of a tenant are none of a platform policy.
    const ofTenants = INVENTORY.security_groups.filter(({ tenant_id }) => tenant_id !== null);
    const without = indexInventory({ ...INVENTORY, security_groups: ofTenants });
    expect(proposeEndpoint({ workload_id: 'web2' }, without, null).endpoint).toBe('web2');
    expect(proposeForWorkload('web2', null)).toBe('sg:web');
    expect(proposeForWorkload('golden')).toBeNull();
    expect(proposeForWorkload('db1')).toBeNull();
  });

  it('proposes a group for several workloads only if it has exactly these members', () => {
    const propose = (...workload_ids: string[]) => proposeEndpoint({ workload_ids }, index, 't1').endpoint;
    const some = INVENTORY.security_groups.find(({ name }) => name === 'some')?.workload_ids ?? [];
    expect(propose(...some)).toBe('sg:some');
    expect(propose(...some.slice(1))).toBeNull();
    expect(propose(...some, 'web1')).toBeNull();
    expect(propose(...some, 'db1')).toBeNull();
    expect(propose('web2')).toBe('web2');
    expect(propose('web2', 'gone')).toBeNull();
    expect(propose('web1')).toBe('sg:g6');
  });

  it('takes an address for one that covers everything as nothing', () => {
    for (const address of ['0.0.0.0/0', '::/0', 'any', 'web', '10.0.0.300']) {
      expect(PolicyDraftInput.safeParse({ source: { address } }).success, address).toBe(false);
    }
    expect(PolicyDraftInput.parse({ source: { address: '10.0.0.7/24' } }).source.address).toBe('10.0.0.0/24');
  });
});
