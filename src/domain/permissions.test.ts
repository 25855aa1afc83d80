import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES, isGranted, PERMISSION_REACH, PERMISSIONS, type RoleGrant, reachOf } from './permissions';

const permission = fc.constantFrom(...PERMISSIONS);
const grant: fc.Arbitrary<RoleGrant> = fc.record({
  role: fc.constant('r'),
  permissions: fc.array(fc.oneof(permission, fc.constant('*'), fc.constant('nonsense:read')), { maxLength: 4 }),
  tenant_id: fc.option(fc.constantFrom('t1', 't2', 't3'), { nil: null }),
});

/** The rule said plainly, as an oracle: who holds p in tenant t, or everywhere. */
function holds(grants: RoleGrant[], p: (typeof PERMISSIONS)[number], tenant: string | null): boolean {
  return grants.some(
    (g) =>
      (g.permissions.includes(p) || g.permissions.includes('*')) &&
      (g.tenant_id === null || (g.tenant_id === tenant && PERMISSION_REACH[p] === 'tenant')),
  );
}

describe('reachOf', () => {
  it('agrees with the rule for every tenant', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 5 }), permission, (grants, p) => {
        const reach = reachOf(grants, p);
        for (const tenant of ['t1', 't2', 't3', 't4']) {
          expect(reach === 'all' || reach.includes(tenant)).toBe(holds(grants, p, tenant));
        }
        expect(reach === 'all').toBe(holds(grants, p, null));
      }),
    );
  });

  it('gives * only platform-wide: the star of one tenant is no super administrator', () => {
    expect(isGranted([{ role: 'x', permissions: ['*'], tenant_id: 't1' }], '*')).toBe(false);
    expect(isGranted([{ role: 'x', permissions: ['*'], tenant_id: null }], '*')).toBe(true);
  });

  it('gives nothing for platform permissions held in one tenant', () => {
    expect(isGranted([{ role: 'x', permissions: ['cluster:write'], tenant_id: 't1' }], 'cluster:write')).toBe(false);
  });
});

describe('built-in roles', () => {
  it('lets nobody but the super administrator change settings', () => {
    const able = Object.entries(BUILT_IN_ROLES).filter(([name, role]) =>
      isGranted([{ role: name, permissions: role.permissions, tenant_id: null }], '*'),
    );
    expect(able.map(([name]) => name)).toEqual(['super_admin']);
  });

  it('lets viewers and auditors change nothing but what they have read themselves', () => {
    for (const name of ['viewer', 'auditor'] as const) {
      expect(BUILT_IN_ROLES[name].permissions.filter((p) => !p.endsWith(':read'))).toEqual(['notification:mark']);
    }
  });
});
