import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compilePolicies } from './compile';
import { indexGroups, indexInventory } from './inventory-index';
import { INVENTORY, randomPolicies } from './random-policies.fixture';
import { resolveWorkloads } from './resolve';

/** Projects of one tenant, and one of another; some workloads belong to none. */
const PLACES = [
  { tenant_id: 't1', project_id: 't1.p1' },
  { tenant_id: 't1', project_id: 't1.p2' },
  { tenant_id: 't2', project_id: 't2.p1' },
  { tenant_id: null, project_id: null },
];
const OWNERS = [...PLACES, { tenant_id: 't1', project_id: null }];

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const places = fc.array(fc.integer({ min: 0, max: PLACES.length - 1 }), { minLength: 1, maxLength: 40 });
const owners = fc.array(fc.integer({ min: 0, max: OWNERS.length - 1 }), { minLength: 1, maxLength: 12 });

it('a policy of a project or tenant has rules and defaults on its own workloads only, whatever it names', () => {
  let rules = 0;
  fc.assert(
    fc.property(seeds, places, owners, (seed, placed, owned) => {
      const workloads = INVENTORY.workloads.map((workload, i) => ({
        ...workload,
        ...PLACES[placed[i % placed.length] ?? 0],
      }));
      const security_groups = INVENTORY.security_groups.map((group, i) => ({
        ...group,
        ...OWNERS[owned[i % owned.length] ?? 0],
      }));
      const policies = randomPolicies(seed).map((policy, i) => ({
        ...policy,
        ...(OWNERS[owned[(i + 1) % owned.length] ?? 0] ?? PLACES[0]),
      }));
      const ownerOf = new Map(policies.map((policy) => [policy.id, policy]));
      const index = indexInventory({ ...INVENTORY, workloads, security_groups });
      for (const guest of compilePolicies(policies, index, 'inst1').guests) {
        const { tenant_id, project_id } = index.workloads.get(guest.workload_id) ?? {
          tenant_id: null,
          project_id: null,
        };
        const acting = [...guest.rules.map(({ policy_id }) => policy_id), ...guest.drop_in, ...guest.drop_out];
        for (const id of acting) {
          const owner = ownerOf.get(id);
          if (!owner || owner.tenant_id === null) continue;
          rules += 1;
          expect(tenant_id).toBe(owner.tenant_id);
          if (owner.project_id !== null) expect(project_id).toBe(owner.project_id);
        }
      }
    }),
    { numRuns: 150 },
  );
  // 6,000 in a run, give or take 2,800.
  expect(rules).toBeGreaterThan(50);
});

it('groups are found by policies of their owner, and by those of the installation by their id alone', () => {
  const [member] = INVENTORY.workloads;
  if (!member) throw new Error('the inventory has no workload');
  const place = { tenant_id: 't1', project_id: 't1.p1' };
  const index = indexInventory({
    ...INVENTORY,
    workloads: [{ ...member, ...place, template: false }],
    security_groups: [
      { id: 'g-tenant', name: 'shop', tenant_id: 't1', workload_ids: [member.id] },
      { id: 'g-project', name: 'shop', ...place, workload_ids: [member.id] },
    ],
  });
  const found = (text: string, owner: string | null) => {
    const result = resolveWorkloads(text, index, owner);
    return 'reason' in result ? result.reason : result.length;
  };
  expect(found('sg:shop', 't1.p1')).toBe(1);
  expect(found('sg:g-project', 't1')).toBe('not_found');
  expect(found('sg:g-tenant', 't1.p1')).toBe('not_found');
  expect(found('sg:g-tenant', null)).toBe(1);
  expect(found('sg:g-project', null)).toBe(1);
  // A name that tenants choose is none to the installation, whose own group of this name is another one.
  expect(found('sg:shop', null)).toBe('ambiguous');
  const own = { id: 'g-own', name: 'shop', tenant_id: null, workload_ids: [member.id] };
  const groups = indexGroups([...[...index.groups.values()].flat(), own]);
  expect(resolveWorkloads('sg:shop', { ...index, groups }, null)).toHaveLength(1);
});
