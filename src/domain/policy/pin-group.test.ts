import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Inventory, indexInventory } from './inventory-index';
import { findNamedGroups, pinGroup } from './pin-group';
import { INVENTORY } from './random-policies.fixture';
import { resolveWorkloads } from './resolve';

type Group = Inventory['security_groups'][number];

const IDS = INVENTORY.workloads.map(({ id }) => id).slice(0, 4);
const names = fc.constantFrom('web', 'db', 'cache', 'edge');
const owners = fc.constantFrom<Pick<Group, 'tenant_id' | 'project_id'>>(
  { tenant_id: 't1' },
  { tenant_id: 't2' },
  { tenant_id: 't1', project_id: 't1.p1' },
);
const groups = (prefix: string, of: fc.Arbitrary<Pick<Group, 'tenant_id' | 'project_id'>>) =>
  fc
    .array(fc.tuple(names, of, fc.subarray(IDS, { minLength: 1 })), { maxLength: 5 })
    .map((list): Group[] =>
      list.map(([name, owner, workload_ids], i) => ({ id: `${prefix}${i}`, name, ...owner, workload_ids })),
    );
const anyOwner = fc.oneof(owners, fc.constant({ tenant_id: null }));

const index = (security_groups: readonly Group[]) => indexInventory({ ...INVENTORY, security_groups });

it('an endpoint of the installation means the same whatever groups tenants add', () => {
  let pinned = 0;
  fc.assert(
    fc.property(groups('g', anyOwner), groups('later', owners), names, (before, later, name) => {
      const [now, then] = [index(before), index([...before, ...later])];
      const text = pinGroup(`sg:${name}`, now.groups, null);
      if (text !== `sg:${name}`) pinned += 1;
      const found = resolveWorkloads(text, now, null);
      if (!('reason' in found)) expect(resolveWorkloads(text, then, null)).toEqual(found);
      else expect(resolveWorkloads(text, then, null)).toHaveProperty('reason');
    }),
  );
  expect(pinned).toBeGreaterThan(0);
});

it('stores the group that the name meant, and names of several groups as they are', () => {
  fc.assert(
    fc.property(groups('g', anyOwner), names, (list, name) => {
      const { groups: known } = index(list);
      const meant = findNamedGroups(name, known, null);
      const text = pinGroup(`!sg:${name}`, known, null);
      const [one, ...others] = meant;
      const isPinned = one !== undefined && others.length === 0 && one.tenant_id !== null;
      expect(text).toBe(isPinned ? `!sg:${one.id}` : `!sg:${name}`);
      expect(pinGroup(text, known, null)).toBe(text);
      expect(pinGroup(`sg:${name}`, known, 't1')).toBe(`sg:${name}`);
    }),
  );
});
