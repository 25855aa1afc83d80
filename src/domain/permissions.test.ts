import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_ROLES,
  computeReach,
  getReachableTenants,
  isGranted,
  isVisibleAt,
  isWithinReach,
  PERMISSION_REACH,
  PERMISSIONS,
  type RoleGrant,
} from './permissions';

const permission = fc.constantFrom(...PERMISSIONS);
const PLACES = [
  { tenant_id: null, project_id: null },
  { tenant_id: 't1', project_id: null },
  { tenant_id: 't2', project_id: null },
  { tenant_id: 't1', project_id: 't1.p1' },
  { tenant_id: 't1', project_id: 't1.p2' },
  { tenant_id: 't2', project_id: 't2.p1' },
];
const grant: fc.Arbitrary<RoleGrant> = fc
  .record({
    role: fc.constant('r'),
    permissions: fc.array(fc.oneof(permission, fc.constant('*'), fc.constant('nonsense:read')), { maxLength: 4 }),
    place: fc.constantFrom(...PLACES),
  })
  .map(({ place, ...rest }) => ({ ...rest, ...place }));

/** The rule said plainly, as an oracle: who holds p everywhere, in a tenant or in a project. */
function isGrantedAt(grants: RoleGrant[], p: (typeof PERMISSIONS)[number], place: (typeof PLACES)[number]): boolean {
  return grants.some((g) => {
    if (!g.permissions.includes(p) && !g.permissions.includes('*')) return false;
    if (g.tenant_id === null) return true;
    if (g.project_id === null) return g.tenant_id === place.tenant_id && PERMISSION_REACH[p] !== 'platform';
    return g.project_id === place.project_id && PERMISSION_REACH[p] === 'project';
  });
}

describe('computeReach', () => {
  it('agrees with the rule for every tenant and project', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 5 }), permission, (grants, p) => {
        const reach = computeReach(grants, p);
        for (const place of [...PLACES, { tenant_id: 't3', project_id: 't3.p1' }]) {
          if (place.tenant_id !== null) expect(isWithinReach(place, reach)).toBe(isGrantedAt(grants, p, place));
          const whole = getReachableTenants(reach);
          if (whole !== 'all' && place.tenant_id !== null && whole.includes(place.tenant_id)) {
            expect(isGrantedAt(grants, p, { ...place, project_id: null })).toBe(true);
          }
        }
        expect(reach === 'all').toBe(isGrantedAt(grants, p, { tenant_id: null, project_id: null }));
      }),
    );
  });

  it('gives * only platform-wide: the star of one tenant is no super administrator', () => {
    expect(isGranted([{ role: 'x', permissions: ['*'], tenant_id: 't1', project_id: null }], '*')).toBe(false);
    expect(isGranted([{ role: 'x', permissions: ['*'], tenant_id: null, project_id: null }], '*')).toBe(true);
  });

  it('gives a role for a project no more than the same role for its tenant', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 5 }), permission, (grants, p) => {
        const reach = computeReach(grants, p);
        const wider = computeReach(
          grants.map((g) => ({ ...g, project_id: null })),
          p,
        );
        for (const place of PLACES) {
          if (isWithinReach(place, reach)) expect(isWithinReach(place, wider)).toBe(true);
        }
      }),
    );
  });

  it('shows the policies of a tenant at a workload that is reached by its project, nowhere else', () => {
    const reach = { tenants: ['t2'], projects: ['t1.p1'] };
    const ours = { tenant_id: 't1', project_id: 't1.p1' };
    const ofTenant = { tenant_id: 't1', project_id: null };
    expect(isVisibleAt(ofTenant, ours, reach)).toBe(true);
    expect(isVisibleAt(ours, ours, reach)).toBe(true);
    expect(isVisibleAt(ofTenant, { tenant_id: 't1', project_id: 't1.p2' }, reach)).toBe(false);
    expect(isVisibleAt({ tenant_id: 't1', project_id: 't1.p2' }, ours, reach)).toBe(false);
    expect(isVisibleAt({ tenant_id: null, project_id: null }, ours, reach)).toBe(false);
    expect(isVisibleAt({ tenant_id: 't3', project_id: null }, ours, reach)).toBe(false);
  });

  it('gives nothing for platform permissions held in one tenant', () => {
    expect(
      isGranted([{ role: 'x', permissions: ['cluster:write'], tenant_id: 't1', project_id: null }], 'cluster:write'),
    ).toBe(false);
  });
});

describe('built-in roles', () => {
  it('lets only the super administrator change settings', () => {
    const able = Object.entries(BUILT_IN_ROLES).filter(([name, role]) =>
      isGranted([{ role: name, permissions: role.permissions, tenant_id: null, project_id: null }], '*'),
    );
    expect(able.map(([name]) => name)).toEqual(['super_admin']);
  });

  it('lets viewers and auditors change nothing but what they have read themselves', () => {
    for (const name of ['viewer', 'auditor'] as const) {
      expect(BUILT_IN_ROLES[name].permissions.filter((p) => !p.endsWith(':read'))).toEqual(['notification:mark']);
    }
  });

  it.each([
    ['security_engineer', ['user:read', 'role:read', 'settings:read']],
    ['network_operator', ['user:read', 'role:read', 'settings:read', 'audit:read']],
    ['viewer', ['user:read', 'role:read', 'settings:read', 'audit:read', 'notification:read']],
    ['auditor', []],
  ] as const)('lets a %s read everything but %j', (name, hidden) => {
    const { permissions } = BUILT_IN_ROLES[name];
    const unreadable = PERMISSIONS.filter((one) => one.endsWith(':read') && !permissions.some((held) => held === one));
    expect(unreadable.sort()).toEqual([...hidden].sort());
  });
});
