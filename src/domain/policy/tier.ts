import type { CompilablePolicy } from './desired';

/** When a policy is evaluated: all of a tier before all of the next, whatever their priorities. In this order. */
export const POLICY_TIERS = ['platform_first', 'tenant', 'platform_last'] as const;
export type PolicyTier = (typeof POLICY_TIERS)[number];

/** What tenants see of a platform policy on their workloads: that one filters, its name as well, or its rules too. */
export const TENANT_VISIBILITIES = ['hidden', 'name', 'rules'] as const;
export type TenantVisibility = (typeof TENANT_VISIBILITIES)[number];

/** What a policy has that names none: before every tenant's if it is the platform's, and open to tenants. */
export const defaultTier = (tenantId: string | null): PolicyTier => (tenantId === null ? 'platform_first' : 'tenant');
export const DEFAULT_VISIBILITY: TenantVisibility = 'rules';

type Tiered = { readonly tier: PolicyTier; readonly tenant_visibility: TenantVisibility };

/** What is wrong with the tier or visibility of a policy of this tenant (null: of the platform), with the remedy. */
export function tierProblem(
  tenantId: string | null,
  { tier, tenant_visibility }: Tiered,
): { field: keyof Tiered; message: string } | null {
  if (tenantId === null) {
    if (tier !== 'tenant') return null;
    const message = 'A platform policy is evaluated first or last: use platform_first or platform_last.';
    return { field: 'tier', message };
  }
  if (tier !== 'tenant') {
    const message =
      'Only platform policies are evaluated before or after those of tenants: use tenant, or omit this field.';
    return { field: 'tier', message };
  }
  if (tenant_visibility === DEFAULT_VISIBILITY) return null;
  return { field: 'tenant_visibility', message: 'A tenant sees its own policies: use rules, or omit this field.' };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What decides the place of a policy among the others on a workload. */
type PolicyRank = Pick<CompilablePolicy, 'tier' | 'priority' | 'created_at' | 'id'>;

/**
 * The order in which policies are evaluated on a workload: tier, then priority (low first), then creation, then id so that
 * it is total.
 */
export const comparePolicies = (a: PolicyRank, b: PolicyRank): number =>
  POLICY_TIERS.indexOf(a.tier) - POLICY_TIERS.indexOf(b.tier) ||
  a.priority - b.priority ||
  compareText(a.created_at, b.created_at) ||
  compareText(a.id, b.id);
