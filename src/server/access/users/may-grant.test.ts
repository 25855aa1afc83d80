import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES, computeReach, isWithinReach, PERMISSIONS } from '@/domain/permissions';
import { listMissingPermissions } from './may-grant';

const PLACES = [
  { tenant_id: null, project_id: null },
  { tenant_id: 'a', project_id: null },
  { tenant_id: 'a', project_id: 'a.p' },
  { tenant_id: 'a', project_id: 'a.q' },
  { tenant_id: 'b', project_id: null },
];
const anyGrant = fc
  .record({
    role: fc.constant('r'),
    permissions: fc.subarray(['*', 'flow:read', 'audit:read', 'cluster:read', 'policy:write']),
    place: fc.constantFrom(...PLACES),
  })
  .map(({ place, ...rest }) => ({ ...rest, ...place }));
const grant = (
  role: keyof typeof BUILT_IN_ROLES,
  tenant_id: string | null = null,
  project_id: string | null = null,
) => ({
  role,
  permissions: BUILT_IN_ROLES[role].permissions,
  tenant_id,
  project_id,
});

describe('beyond', () => {
  it('lets a super administrator give everything', () => {
    expect(
      listMissingPermissions([grant('super_admin')], [{ permissions: ['*'], tenant_id: null, project_id: null }]),
    ).toEqual([]);
    expect(
      listMissingPermissions(
        [grant('super_admin')],
        [{ permissions: ['*', 'flow:read'], tenant_id: 'a', project_id: null }],
      ),
    ).toEqual([]);
  });

  it('keeps all other users from granting permissions they lack', () => {
    expect(
      listMissingPermissions([grant('admin')], [{ permissions: ['*'], tenant_id: null, project_id: null }]),
    ).toEqual(['*']);
    expect(
      listMissingPermissions([grant('admin')], [{ permissions: ['*'], tenant_id: 'a', project_id: null }]),
    ).toEqual(['*']);
    expect(listMissingPermissions([grant('admin')], [grant('viewer'), grant('admin')])).toEqual([]);
    expect(
      listMissingPermissions(
        [grant('viewer')],
        [{ permissions: ['policy:apply', 'flow:read'], tenant_id: null, project_id: null }],
      ),
    ).toEqual(['policy:apply']);
    expect(listMissingPermissions([], [{ permissions: ['flow:read'], tenant_id: 'a', project_id: null }])).toEqual([
      'flow:read',
    ]);
  });

  it('counts rights of one tenant for that tenant only', () => {
    const held = [grant('viewer', 'a')];
    expect(listMissingPermissions(held, [{ permissions: ['flow:read'], tenant_id: 'a', project_id: null }])).toEqual(
      [],
    );
    expect(listMissingPermissions(held, [{ permissions: ['flow:read'], tenant_id: 'b', project_id: null }])).toEqual([
      'flow:read',
    ]);
    expect(listMissingPermissions(held, [{ permissions: ['flow:read'], tenant_id: null, project_id: null }])).toEqual([
      'flow:read',
    ]);
  });

  it('allows no grant beyond what the actor has in its scope', () => {
    fc.assert(
      fc.property(fc.array(anyGrant, { maxLength: 4 }), fc.array(anyGrant, { maxLength: 3 }), (held, expected) => {
        const missing = listMissingPermissions(held, expected);
        for (const permission of ['*', ...PERMISSIONS] as const) {
          const had = computeReach(held, permission);
          const given = computeReach(expected, permission);
          for (const place of PLACES) {
            if (isWithinReach(place, given) && !isWithinReach(place, had)) expect(missing).not.toEqual([]);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('covers rights for a project by the project, its tenant and the installation, and not the other way around', () => {
    const expected = [{ permissions: ['flow:read'], tenant_id: 'a', project_id: 'p' }];
    for (const held of [grant('viewer'), grant('viewer', 'a'), grant('viewer', 'a', 'p')]) {
      expect(listMissingPermissions([held], expected)).toEqual([]);
    }
    expect(listMissingPermissions([grant('viewer', 'a', 'q')], expected)).toEqual(['flow:read']);
    expect(
      listMissingPermissions(
        [grant('viewer', 'a', 'p')],
        [{ ...expected[0], permissions: ['flow:read'], tenant_id: 'a', project_id: null }],
      ),
    ).toEqual(['flow:read']);
  });

  it('ignores what gives nothing: unknown words, platform rights held for one tenant', () => {
    expect(listMissingPermissions([], [{ permissions: ['nonsense:all'], tenant_id: null, project_id: null }])).toEqual(
      [],
    );
    expect(listMissingPermissions([], [{ permissions: ['cluster:write'], tenant_id: 'a', project_id: null }])).toEqual(
      [],
    );
  });
});
