import type { RoleGrant } from './permissions';

/** What an API token is limited to: some permissions, everywhere its owner has them or (`tenant_id`) in one tenant only. */
export type GrantLimit = { readonly permissions: readonly string[]; readonly tenant_id: string | null };

/** An API token that acts for its owner, and what it is limited to. */
export type ActingToken = GrantLimit & { readonly id: string; readonly name: string };

/** What is left of grants under a limit: never more than either gives. `*` is not passed on to a limit that lacks it. */
export function restrictGrants<G extends RoleGrant>(grants: readonly G[], limit: GrantLimit): G[] {
  return grants.flatMap((grant) => {
    const tenant = limit.tenant_id ?? grant.tenant_id;
    if (grant.tenant_id !== null && grant.tenant_id !== tenant) return [];
    const all = grant.permissions.includes('*');
    const permissions = limit.permissions.filter((permission) => all || grant.permissions.includes(permission));
    return permissions.length > 0 ? [{ ...grant, permissions, tenant_id: tenant }] : [];
  });
}
