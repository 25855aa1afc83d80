import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainAccess } from './explain-access';
import { computeReach, getReachableProjects, getReachableTenants, isEmptyReach, PERMISSIONS } from './permissions';

const TENANTS = ['0199aaaa-0000-7000-8000-000000000001', '0199aaaa-0000-7000-8000-000000000002'];
const place = (tenant_id: string | null, project_id: string | null = null) => ({
  tenant_id,
  tenant_name: 'name',
  project_id,
  project_name: 'project',
});
const PROJECT = '0199aaaa-0000-7000-8000-0000000000aa';
const PLACES = [place(null), ...TENANTS.map((id) => place(id)), place(TENANTS[0] ?? '', PROJECT)];
const held = fc
  .record({
    id: fc.uuid(),
    role_id: fc.uuid(),
    role: fc.constantFrom('one', 'two'),
    role_title: fc.constant('Role'),
    place: fc.constantFrom(...PLACES),
    expires_at: fc.constant(null),
    source: fc.constant('manual' as const),
    expired: fc.boolean(),
    created_at: fc.constant('2026-01-01T00:00:00Z'),
    permissions: fc.subarray([...PERMISSIONS, '*', 'nonsense:read']),
  })
  .map(({ place, ...rest }) => ({ ...rest, ...place }));
const user = { id: TENANTS[0] ?? '', active: true, second_factor_at: null, second_factor_required: false };

describe('explainAccess', () => {
  it('says what the check of every request says', () => {
    fc.assert(
      fc.property(fc.array(held, { maxLength: 5 }), (assignments) => {
        const grants = assignments.filter(({ expired }) => !expired);
        for (const { permission, granted, tenants, projects } of explainAccess(user, assignments).permissions) {
          const reach = computeReach(grants, permission as (typeof PERMISSIONS)[number] | '*');
          expect(granted).toBe(reach === 'all' ? 'all' : isEmptyReach(reach) ? 'none' : 'tenants');
          const whole = getReachableTenants(reach);
          if (whole === 'all') continue;
          expect(tenants.map(({ id }) => id).sort()).toEqual(whole);
          // A project of a tenant that is reachable as a whole adds nothing.
          const besides = getReachableProjects(reach).filter(() => !whole.includes(TENANTS[0] ?? ''));
          expect(projects.map(({ id }) => id)).toEqual(besides);
        }
      }),
    );
  });

  it('names what would give a permission but does not', () => {
    const base = {
      role_id: '',
      role: 'r',
      role_title: 'R',
      expires_at: null,
      source: 'manual' as const,
      created_at: '',
      tenant_name: 'Blue',
      project_id: null,
      project_name: null,
    };
    const access = explainAccess(user, [
      { ...base, id: 'a', tenant_id: TENANTS[0] ?? '', expired: false, permissions: ['cluster:read', 'flow:read'] },
      {
        ...base,
        id: 'c',
        tenant_id: TENANTS[0] ?? '',
        project_id: PROJECT,
        expired: false,
        permissions: ['audit:read'],
      },
      { ...base, id: 'b', tenant_id: null, expired: true, permissions: ['flow:read'] },
    ]);
    const of = (permission: string) => access.permissions.find((row) => row.permission === permission);
    expect(of('cluster:read')).toMatchObject({ granted: 'none', reasons: [{ effect: 'platform_only' }] });
    expect(of('flow:read')).toMatchObject({
      granted: 'tenants',
      tenants: [{ id: TENANTS[0], name: 'Blue' }],
      reasons: [{ effect: 'gives' }, { effect: 'expired' }],
    });
    expect(of('audit:read')).toMatchObject({ granted: 'none', reasons: [{ effect: 'tenant_only' }] });
    expect(of('user:read')).toMatchObject({ granted: 'none', reasons: [] });
  });

  it('names every role that has a permission, and whether a second factor is missing', () => {
    const roles = [
      { id: 'a', title: 'Reader', permissions: ['flow:read'] },
      { id: 'b', title: 'All', permissions: ['*'] },
    ];
    const access = explainAccess({ ...user, second_factor_required: true }, [], roles);
    const of = (permission: string) => access.permissions.find((row) => row.permission === permission)?.roles;
    expect(of('flow:read')?.map(({ title }) => title)).toEqual(['Reader', 'All']);
    expect(of('user:read')?.map(({ title }) => title)).toEqual(['All']);
    expect(access.second_factor_missing).toBe(true);
  });

  it('gives an inactive user nothing', () => {
    const all = explainAccess({ ...user, active: false }, [
      {
        id: 'a',
        role_id: '',
        role: 'r',
        role_title: 'R',
        tenant_id: null,
        tenant_name: null,
        project_id: null,
        project_name: null,
        expires_at: null,
        source: 'manual' as const,
        expired: false,
        created_at: '',
        permissions: ['*'],
      },
    ]);
    expect(all.permissions.every(({ granted }) => granted === 'none')).toBe(true);
  });
});
