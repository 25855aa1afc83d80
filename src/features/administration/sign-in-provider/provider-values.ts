import type { SignInProvider, SignInProviderInput } from '@/domain/sign-in-provider';
import { parsePlace, placeValue } from '../use-choices';

/** Groups and roles in a form. `tenant_id` is where, see `placeValue`; null: nothing chosen yet. */
export type MappingValues = { mappings: { group: string; role_id: string | null; tenant_id: string | null }[] };

/** Stored groups as a form has them. */
export const toMappingValues = (mappings: SignInProvider['mappings']): MappingValues['mappings'] =>
  mappings.map(({ group, role_id, ...place }) => ({ group, role_id, tenant_id: placeValue(place) }));

/** Groups of a form as they are sent. */
export const toMappingInput = (mappings: MappingValues['mappings']) =>
  mappings.map(({ group, role_id, tenant_id }) => ({ group, role_id: role_id ?? '', ...parsePlace(tenant_id) }));

/** The provider in its form. An empty secret means that the stored one stays. */
export type ProviderValues = MappingValues & {
  enabled: boolean;
  label: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  /** A client without secret, which only its redirect address protects. */
  public_client: boolean;
  /** With spaces between them. */
  scopes: string;
  group_claim: string;
  public_url: string;
  create_users: boolean;
  link_by_email: boolean;
  trusts_second_factor: boolean;
  sign_out_at_provider: boolean;
};

export const NEW_MAPPING = { group: '', role_id: null, tenant_id: null };

/** @param origin the address under which the page was opened, for an installation that has none stored */
export function toProviderValues(provider: SignInProvider, origin: string): ProviderValues {
  return {
    enabled: provider.enabled,
    label: provider.label,
    issuer: provider.issuer,
    client_id: provider.client_id,
    client_secret: '',
    public_client: provider.configured && !provider.has_client_secret,
    scopes: provider.scopes.join(' '),
    group_claim: provider.group_claim,
    public_url: provider.public_url || origin,
    create_users: provider.create_users,
    link_by_email: provider.link_by_email,
    trusts_second_factor: provider.trusts_second_factor,
    sign_out_at_provider: provider.sign_out_at_provider,
    mappings: toMappingValues(provider.mappings),
  };
}

/** What is sent: the whole form, with the version it was read at. */
export function toProviderInput(
  { public_client, client_secret, scopes, mappings, ...values }: ProviderValues,
  { version, has_client_secret }: Pick<SignInProvider, 'version' | 'has_client_secret'>,
): Omit<SignInProviderInput, 'mappings'> & { mappings: unknown[] } {
  const kept = client_secret === '' && has_client_secret;
  return {
    ...values,
    ...(public_client ? { client_secret: null } : !kept && { client_secret }),
    scopes: scopes.split(/\s+/).filter(Boolean),
    mappings: toMappingInput(mappings),
    version,
  };
}
