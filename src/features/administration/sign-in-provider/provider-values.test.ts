import { describe, expect, it } from 'vitest';
import { type SignInProvider, SignInProviderInput } from '@/domain/sign-in-provider';
import { NEW_MAPPING, toProviderInput, toProviderValues } from './provider-values';

const ROLE = '0199aaaa-0000-7000-8000-000000000001';
const provider: SignInProvider = {
  configured: true,
  enabled: true,
  label: 'Example',
  issuer: 'https://id.example.org/',
  client_id: 'fabric',
  has_client_secret: true,
  scopes: ['openid', 'email'],
  group_claim: 'groups',
  public_url: 'https://fabric.example.org',
  create_users: true,
  link_by_email: false,
  trusts_second_factor: false,
  sign_out_at_provider: false,
  mappings: [
    {
      group: 'net',
      role_id: ROLE,
      role_title: 'Viewer',
      tenant_id: null,
      tenant_name: null,
      project_id: null,
      project_name: null,
    },
  ],
  version: 3,
  updated_at: '2026-01-01T00:00:00Z',
};

describe('the form of the sign-in provider', () => {
  it('sends back what it was given, and leaves the secret alone', () => {
    const values = toProviderValues(provider, 'https://elsewhere.example.org');
    const input = SignInProviderInput.parse(toProviderInput(values, provider));
    expect(input).not.toHaveProperty('client_secret');
    expect(input).toMatchObject({ issuer: provider.issuer, public_url: provider.public_url, version: 3 });
    expect(input.mappings).toEqual([{ group: 'net', role_id: ROLE, tenant_id: null, project_id: null }]);
    expect(input.scopes).toEqual(provider.scopes);
  });

  it('chooses nothing for a new group: neither the role nor where it counts', () => {
    const values = toProviderValues(provider, '');
    const mappings = [{ ...NEW_MAPPING, group: 'net' }];
    const parsed = SignInProviderInput.safeParse(toProviderInput({ ...values, mappings }, provider));
    expect(parsed.error?.issues.map(({ path }) => path[2])).toEqual(['role_id', 'tenant_id']);
  });

  it('sends a secret that was entered, null for a public client, and asks for one where there is none', () => {
    const values = toProviderValues(provider, '');
    expect(toProviderInput({ ...values, client_secret: 'new' }, provider)).toMatchObject({ client_secret: 'new' });
    expect(toProviderInput({ ...values, public_client: true }, provider)).toMatchObject({ client_secret: null });
    const fresh = { ...provider, configured: false, has_client_secret: false, version: 0, public_url: '' };
    const input = toProviderInput(toProviderValues(fresh, 'http://fabric.test'), fresh);
    expect(input).toMatchObject({ client_secret: '', public_url: 'http://fabric.test' });
    expect(SignInProviderInput.safeParse(input).error?.issues[0]?.path).toEqual(['client_secret']);
  });
});
