/** Whose a policy or group is: a project's, else a tenant's, else (both null) the installation's. */
export type PolicyOwner = { readonly tenant_id: string | null; readonly project_id?: string | null | undefined };

/** A project's id, a tenant's, or null: the whole installation. Ids of both are unique. */
export type OwnerId = string | null;

/** The narrowest owner: whose workloads alone a policy acts on, and in whose view its endpoints are resolved. */
export const getOwnerId = ({ tenant_id, project_id }: PolicyOwner): OwnerId => project_id ?? tenant_id;

/** Whether a workload belongs to a project or tenant; all belong to the installation. */
export const belongsTo = (owner: OwnerId, { tenant_id, project_id }: PolicyOwner): boolean =>
  owner === null || tenant_id === owner || project_id === owner;

/**
 * Whether a policy may act on a workload: a project's policy on the project's own, a tenant's on the tenant's, and on no other; a
 * platform policy on all. Everything that plans, writes, previews, compares or reports for a policy asks this; repositories ask
 * it as `buildActsOnCondition`.
 */
export const actsOn = (policy: PolicyOwner, workload: PolicyOwner): boolean => belongsTo(getOwnerId(policy), workload);
