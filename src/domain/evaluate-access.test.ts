import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { evaluateAccess } from './evaluate-access';
import { explainAccess } from './explain-access';
import { computeReach, isWithinReach, PERMISSIONS } from './permissions';

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
    role: fc.constant('one'),
    role_title: fc.constant('Role'),
    place: fc.constantFrom(...PLACES),
    expires_at: fc.constant(null),
    source: fc.constant('manual' as const),
    expired: fc.boolean(),
    created_at: fc.constant('2026-01-01T00:00:00Z'),
    permissions: fc.subarray([...PERMISSIONS, '*']),
  })
  .map(({ place, ...rest }) => ({ ...rest, ...place }));

describe('the answer', () => {
  it('matches the check of a request for every user, permission and scope; a refusal has its reason', () => {
    fc.assert(
      fc.property(
        fc.array(held, { maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(...PLACES),
        (assignments, active, missing, there) => {
          const user = { id: TENANTS[0] ?? '', active, second_factor_required: missing, second_factor_at: null };
          const access = explainAccess(user, assignments);
          const grants = assignments.filter(({ expired }) => !expired);
          for (const row of access.permissions) {
            const reach = computeReach(grants, row.permission as (typeof PERMISSIONS)[number] | '*');
            const held = isWithinReach(there, reach);
            const answer = evaluateAccess(access, row, there);
            expect(answer.allowed).toBe(active && !missing && held);
            if (answer.allowed) expect(answer.by.length).toBeGreaterThan(0);
            else if (answer.lack === 'second_factor') expect(held).toBe(true);
            else if (answer.lack === 'no_role') expect(row.reasons).toEqual([]);
            else if (answer.lack !== 'deactivated') expect(answer.near.length).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});

const reason = (
  effect: 'gives' | 'expired' | 'platform_only' | 'tenant_only',
  tenant_id: string | null,
  project_id: string | null = null,
) => ({
  assignment_id: effect,
  role: 'r',
  role_title: 'R',
  tenant_id,
  tenant_name: null,
  project_id,
  project_name: null,
  effect,
});
const well = { active: true, second_factor_missing: false };

test.each([
  ['expired', [reason('expired', TENANTS[0] ?? ''), reason('gives', TENANTS[1] ?? '')], TENANTS[0]],
  ['elsewhere', [reason('expired', TENANTS[1] ?? ''), reason('gives', TENANTS[1] ?? '')], TENANTS[0]],
  ['elsewhere', [reason('gives', TENANTS[0] ?? '')], null],
  ['platform_only', [reason('platform_only', TENANTS[0] ?? '')], null],
  ['tenant_only', [reason('tenant_only', TENANTS[0] ?? '', PROJECT)], TENANTS[0]],
  ['elsewhere', [reason('gives', TENANTS[0] ?? '', PROJECT)], TENANTS[0]],
  ['no_role', [], null],
] as const)('lacks by %s', (lack, reasons, tenantId) =>
  expect(evaluateAccess(well, { reasons: [...reasons] }, place(tenantId ?? null))).toMatchObject({
    allowed: false,
    lack,
  }),
);
