import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Approval, combineRules, countApprovals, countRequired, isApproved } from './approval';

const people = ['ann', 'ben', 'cem', 'dia'] as const;
const tenants = ['red', 'blue'] as const;
const rule = fc.record({ required: fc.integer({ min: 0, max: 3 }), scope: fc.constantFrom('enforcing', 'all') });
const approval: fc.Arbitrary<Approval> = fc.record({
  actor_id: fc.constantFrom(...people),
  tenants: fc.oneof(fc.constant('all' as const), fc.subarray([...tenants])),
});

describe('combineRules', () => {
  it('never requires less than either rule', () => {
    fc.assert(
      fc.property(rule, rule, fc.boolean(), (installation, tenant, isEnforcing) => {
        const both = countRequired(combineRules(installation, tenant), isEnforcing);
        for (const one of [installation, tenant]) {
          expect(both).toBeGreaterThanOrEqual(countRequired(one, isEnforcing));
        }
      }),
    );
  });
});

describe('countApprovals', () => {
  it('counts, for each owner, the people other than authors who may approve there', () => {
    fc.assert(
      fc.property(
        fc.array(approval, { maxLength: 6 }),
        fc.subarray([...people]),
        fc.integer({ min: 0, max: 3 }),
        (approvals, authors, required) => {
          const owners = new Map<string | null, number>([...tenants, null].map((owner) => [owner, required]));
          for (const status of countApprovals(owners, approvals, new Set(authors))) {
            const expected = people.filter(
              (person) =>
                !authors.includes(person) &&
                approvals.some(
                  (one) =>
                    one.actor_id === person &&
                    (one.tenants === 'all' || one.tenants.some((tenant) => tenant === status.tenant_id)),
                ),
            );
            expect(status.approved).toBe(expected.length);
            expect(isApproved([status])).toBe(expected.length >= required);
          }
        },
      ),
    );
  });

  it('does not accept the approval of one tenant for another, or for the installation', () => {
    const required = new Map([
      ['red', 1],
      ['blue', 1],
      [null, 1],
    ]);
    const found = countApprovals(required, [{ actor_id: 'ann', tenants: ['red'] }], new Set());
    expect(found.map(({ approved }) => approved)).toEqual([1, 0, 0]);
  });
});
