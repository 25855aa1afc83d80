import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Grantable, PERMISSIONS, type RoleGrant, reachOf, type TenantReach } from './permissions';
import { restrictGrants } from './restrict-grants';

const TENANTS = ['t1', 't2', 't3'];
const ASKED: Grantable[] = ['*', ...PERMISSIONS];
const tenant = fc.constantFrom(null, ...TENANTS);
const grants: fc.Arbitrary<RoleGrant[]> = fc.array(
  fc.record({ role: fc.constant('r'), permissions: fc.subarray([...ASKED]), tenant_id: tenant }),
  { maxLength: 4 },
);

const holds = (reach: TenantReach, id: string | null) => reach === 'all' || (id !== null && reach.includes(id));

it('leaves exactly what both the owner and the limit give, wherever one asks', () => {
  fc.assert(
    fc.property(grants, fc.subarray(PERMISSIONS), tenant, (owned, permissions, tenant_id) => {
      const left = restrictGrants(owned, { permissions, tenant_id });
      const limit = [{ role: 'limit', permissions, tenant_id }];
      for (const permission of ASKED) {
        for (const place of [null, ...TENANTS]) {
          const both = holds(reachOf(owned, permission), place) && holds(reachOf(limit, permission), place);
          expect(holds(reachOf(left, permission), place), `${permission} in ${place}`).toBe(both);
        }
      }
    }),
    { numRuns: 500 },
  );
});
