import type { SignInMethods, SignInProvider } from '@/domain/sign-in-provider';
import type { Scope } from '../../auth/scope';
import { db, type Executor } from '../../db/client';
import { findOidcSettings, listRoleMappings } from '../queries/sign-in-provider';

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
export async function storedProvider(executor: Executor): Promise<SignInProvider> {
  const row = await findOidcSettings(executor);
  if (!row) return { configured: false, ...DEFAULTS };
  const { id: _, client_secret_encrypted, client_secret_key_id: __, ...rest } = row;
  const mappings = await listRoleMappings(executor);
  return {
    ...rest,
    configured: true,
    has_client_secret: client_secret_encrypted !== null,
    mappings: mappings.map(({ role: _name, ...mapping }) => mapping),
  };
}

/** The sign-in provider, without its secret. */
export function readSignInProvider(_scope: Scope<'settings:read'>): Promise<SignInProvider> {
  return storedProvider(db);
}

/** How one can sign in here; for the sign-in page. */
export async function readSignInMethods(): Promise<SignInMethods> {
  const row = await findOidcSettings(db);
  return { oidc: row?.enabled ? { label: row.label } : null };
}
