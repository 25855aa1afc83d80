import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import {
  computeReach,
  type Grantable,
  isWithinReach,
  PERMISSIONS,
  type RoleGrant,
  restrictGrants,
} from './permissions';

const TENANTS = ['t1', 't2', 't3'];
const ASKED: Grantable[] = ['*', ...PERMISSIONS];
const tenant = fc.constantFrom(null, ...TENANTS);
const PLACES = [null, ...TENANTS].flatMap((tenant_id) =>
  (tenant_id === null ? [null] : [null, `${tenant_id}.p`]).map((project_id) => ({ tenant_id, project_id })),
);
const grants: fc.Arbitrary<RoleGrant[]> = fc.array(
  fc
    .record({ role: fc.constant('r'), permissions: fc.subarray([...ASKED]), place: fc.constantFrom(...PLACES) })
    .map(({ place, ...rest }) => ({ ...rest, ...place })),
  { maxLength: 4 },
);

it('leaves exactly what both the owner and the limit give, wherever one asks', () => {
  fc.assert(
    fc.property(grants, fc.subarray(PERMISSIONS), tenant, (owned, permissions, tenant_id) => {
      const left = restrictGrants(owned, { permissions, tenant_id });
      const limit = [{ role: 'limit', permissions, tenant_id, project_id: null }];
      for (const permission of ASKED) {
        for (const place of PLACES) {
          const both = [owned, limit].every((grants) => isWithinReach(place, computeReach(grants, permission)));
          expect(isWithinReach(place, computeReach(left, permission)), permission).toBe(both);
        }
      }
    }),
    { numRuns: getRunCount(200, 500) },
  );
});
