/**
 * Whether a policy may act on a workload: a tenant's policy on the tenant's own and on no other, a platform policy on all.
 * Everything that plans, writes, previews, compares or reports for a policy asks this; repositories ask it as `actedOnBy`.
 */
export const actsOn = (tenantId: string | null, workload: { readonly tenant_id: string | null }): boolean =>
  tenantId === null || workload.tenant_id === tenantId;
