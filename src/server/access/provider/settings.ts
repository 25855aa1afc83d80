import type { SignInMethods, SignInProvider, SignInProviderInput } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Executor, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { seal } from '../../lib/crypto';
import { AppError, type FieldError } from '../../lib/errors';
import { assertVersion, notFound } from '../../lib/refusals';
import { assertAllowedTarget } from '../../settings/assert-allowed-target';
import { findProjectTenants } from '../../tenancy/queries/projects';
import { findTenantNames } from '../../tenancy/queries/tenants';
import {
  findOidcSettings,
  listRoleMappings,
  lockOidcSettings,
  OIDC_ID,
  replaceRoleMappings,
  storeOidcSettings,
} from '../queries/provider';
import { findRolesById } from '../queries/roles';

const DEFAULTS = {
  enabled: false,
  label: 'company account',
  issuer: '',
  client_id: '',
  has_client_secret: false,
  scopes: ['openid', 'profile', 'email'],
  group_claim: 'groups',
  public_url: '',
  create_users: false,
  link_by_email: false,
  trusts_second_factor: false,
  sign_out_at_provider: false,
  mappings: [],
  version: 0,
  updated_at: null,
};

/** The provider as it is stored, without its secret; defaults when there is none. */
export async function readStoredProvider(executor: Executor = db): Promise<SignInProvider> {
  const row = await findOidcSettings(executor);
  if (!row) return { configured: false, ...DEFAULTS };
  const { id: _, client_secret_encrypted, client_secret_key_id: __, ...rest } = row;
  const mappings = await listRoleMappings(executor, 'oidc');
  return {
    ...rest,
    configured: true,
    has_client_secret: client_secret_encrypted !== null,
    mappings: mappings.map(({ role: _name, ...mapping }) => mapping),
  };
}

/** How one can sign in here; for the sign-in page. */
export async function readSignInMethods(): Promise<SignInMethods> {
  const row = await findOidcSettings(db);
  return { oidc: row?.enabled ? { label: row.label } : null };
}

/** The provider as the audit trail keeps it. */
function toAudited(provider: SignInProvider): Record<string, unknown> | null {
  if (!provider.configured) return null;
  const { configured: _, version: __, updated_at: ___, mappings, ...rest } = provider;
  return {
    ...rest,
    mappings: toAuditedMappings(mappings),
  };
}

/** Groups and their roles as the audit trail keeps them. */
export const toAuditedMappings = (mappings: SignInProvider['mappings']) =>
  mappings.map(({ group, role_title, tenant_name, project_name }) => ({
    group,
    role: role_title,
    tenant: tenant_name,
    ...(project_name !== null && { project: project_name }),
  }));

/** What can be compared of an input and of what is stored: the same text means the same provider. */
function toComparable(given: Omit<SignInProviderInput, 'client_secret' | 'version'>): string {
  const { enabled, label, issuer, client_id, scopes, group_claim, public_url } = given;
  const { create_users, link_by_email, trusts_second_factor, sign_out_at_provider } = given;
  const mappings = given.mappings.map(({ group, role_id, tenant_id, project_id }) =>
    JSON.stringify([group, role_id, tenant_id, project_id]),
  );
  return JSON.stringify([
    [enabled, label, issuer, client_id, scopes, group_claim, public_url],
    [create_users, link_by_email, trusts_second_factor, sign_out_at_provider],
    mappings.sort(),
  ]);
}

/** @throws AppError `not_found` naming the field */
export async function assertMappable(tx: Tx, mappings: SignInProviderInput['mappings']): Promise<void> {
  const roles = await findRolesById(
    tx,
    mappings.map(({ role_id }) => role_id),
  );
  const tenants = await findTenantNames(
    tx,
    mappings.flatMap(({ tenant_id }) => tenant_id ?? []),
  );
  const projects = await findProjectTenants(
    tx,
    mappings.flatMap(({ project_id }) => project_id ?? []),
  );
  const errors: FieldError[] = mappings.flatMap(({ role_id, tenant_id, project_id }, index) => [
    ...(roles.has(role_id) ? [] : [{ field: `mappings.${index}.role_id`, message: 'Role not found.' }]),
    ...(tenant_id === null || tenants.has(tenant_id)
      ? []
      : [{ field: `mappings.${index}.tenant_id`, message: 'Tenant not found.' }]),
    ...(project_id === null || projects.get(project_id) === tenant_id
      ? []
      : [{ field: `mappings.${index}.project_id`, message: 'Project not found in the tenant.' }]),
  ]);
  if (errors.length > 0) throw notFound('role, tenant or project', errors);
}

/**
 * Stores the sign-in provider. Without a change, nothing is written or recorded. An omitted secret stays, but not for
 * another issuer: the stored secret must not be sent to a newly entered address.
 * @throws AppError `version_conflict`, `not_found` for unknown roles or tenants, `malformed` for a missing secret,
 * `refused` for an issuer that no connection may be made to
 */
export function updateSignInProvider(scope: Scope<'*'>, input: SignInProviderInput): Promise<SignInProvider> {
  return db.transaction(async (tx) => {
    const row = await lockOidcSettings(tx);
    const before = await readStoredProvider(tx);
    const { version, client_secret, mappings, ...given } = input;
    const fields = { ...given, sign_out_at_provider: given.sign_out_at_provider ?? before.sign_out_at_provider };
    assertVersion('sign-in provider', before.version, version);
    if (client_secret === undefined && before.has_client_secret && before.issuer !== input.issuer) {
      const message = 'Enter the client secret again: the stored one belongs to the previous issuer.';
      throw new AppError('malformed', message, { errors: [{ field: 'client_secret', message }] });
    }
    if (input.issuer !== before.issuer) assertAllowedTarget('issuer', new URL(input.issuer).hostname);
    await assertMappable(tx, mappings);
    const sameSecret = client_secret === undefined || (client_secret === null && !before.has_client_secret);
    if (before.configured && sameSecret && toComparable(before) === toComparable({ ...fields, mappings }))
      return before;
    const sealed = typeof client_secret === 'string' ? seal(client_secret, OIDC_ID) : null;
    const keep = client_secret === undefined && row !== null;
    const requested = {
      ...fields,
      client_secret_encrypted: keep ? row.client_secret_encrypted : (sealed?.sealed ?? null),
      client_secret_key_id: keep ? row.client_secret_key_id : (sealed?.key_id ?? null),
    };
    await storeOidcSettings(tx, {
      ...requested,
      version: before.version + 1,
      updated_at: clock.now().toISOString(),
    });
    await replaceRoleMappings(tx, 'oidc', mappings);
    const after = await readStoredProvider(tx);
    await recordAudit(tx, scope, {
      action: 'settings.sign_in_provider_updated',
      object_kind: 'settings',
      object_id: OIDC_ID,
      object_name: 'Sign-in provider',
      before: toAudited(before),
      after: { ...toAudited(after), ...(sealed !== null && { has_new_client_secret: true }) },
    });
    return after;
  });
}
