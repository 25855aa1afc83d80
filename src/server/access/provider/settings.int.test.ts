import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { ProviderCheck, SignInProvider } from '@/domain/sign-in-provider';
import { db } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { oidcSettings } from '@/server/db/schema/sign-in';
import { auditTrail } from '@/test/audit-trail';
import { OIDC_CLIENT } from '@/test/oidc-provider';
import { callJson } from '@/test/request';
import { createOidcLab, listAuditRecords, type Problem, PUBLIC, roleId } from './testing/oidc-lab.fixture';

const lab = createOidcLab();

describe('the settings', () => {
  it('keep the secret to themselves and tell the sign-in page the label only', async () => {
    expect((await callJson<SignInProvider>('/settings/sign-in-provider', lab.boss)).body).toMatchObject({
      configured: false,
    });
    expect((await callJson('/auth/methods', {})).body).toEqual({ oidc: null });
    const stored = await lab.store();
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
    expect(stored.body).toMatchObject({ has_client_secret: true, public_url: PUBLIC, version: 1 });
    expect(stored.body.scopes).toEqual(['openid', 'email', 'profile', 'groups']);
    const [row] = await db.select().from(oidcSettings);
    const [record] = await listAuditRecords('settings.sign_in_provider_updated');
    for (const text of [stored.body, row, record].map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(OIDC_CLIENT.client_secret);
    }
    expect((await callJson('/auth/methods', {})).body).toEqual({ oidc: { label: 'Example' } });
    const again = await lab.store({ client_secret: undefined });
    expect(again.body.version).toBe(1);
    expect(await listAuditRecords('settings.sign_in_provider_updated')).toHaveLength(1);
    expect((await lab.store({ label: 'Other', version: 7 })).status).toBe(409);
    expect((await lab.store({ client_secret: undefined, label: 'Other' })).body).toMatchObject({
      version: 2,
      has_client_secret: true,
    });
  });

  it('never send a stored secret to another issuer, and refuse what cannot be', async () => {
    await lab.store();
    const moved = await lab.store({ client_secret: undefined, issuer: 'https://elsewhere.example.org' });
    expect([moved.status, moved.body.errors?.[0]?.field]).toEqual([400, 'client_secret']);
    const cases: [object, string, number][] = [
      [{ issuer: 'ftp://id.example.org' }, 'issuer', 400],
      [{ issuer: 'https://user:pass@id.example.org' }, 'issuer', 400],
      [{ issuer: 'https://169.254.169.254' }, 'issuer', 422],
      [{ public_url: 'fabric' }, 'public_url', 400],
      [{ scopes: ['two words'] }, 'scopes.0', 400],
      [{ mappings: [{ group: 'a', role_id: crypto.randomUUID() }] }, 'mappings.0.role_id', 404],
    ];
    for (const [changes, field, status] of cases) {
      const refused = await lab.store(changes);
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([status, field]);
    }
    const role_id = await roleId('viewer');
    const twice = await lab.store({
      mappings: [
        { group: 'a', role_id },
        { group: 'a', role_id },
      ],
    });
    expect(twice.body.errors?.[0]?.field).toBe('mappings.1');
    expect((await lab.store({ label: ' ' })).body.errors).toEqual([{ field: 'label', message: 'Enter a name.' }]);
  });

  it('pass a check against the provider at permitted addresses only', async () => {
    const check = (issuer: string) =>
      callJson<ProviderCheck & Problem>('/settings/sign-in-provider/check', lab.boss, { body: { issuer } });
    const { status, body } = await check(lab.provider.issuer);
    expect([status, body.pkce]).toEqual([200, true]);
    expect(body.token_endpoint).toContain(lab.provider.issuer);
    for (const issuer of [
      `${lab.provider.issuer}/`,
      'https://169.254.169.254',
      'http://192.0.2.1',
      'http://127.0.0.1:1',
    ]) {
      const refused = await check(issuer);
      expect([refused.status, refused.body.errors?.[0]?.field], issuer).toEqual([422, 'issuer']);
    }
    const records = await auditTrail(eq(auditRecords.action, 'settings.sign_in_provider_checked'));
    expect(records.map(({ after }) => after)).toContainEqual({ issuer: lab.provider.issuer, usable: true });
    expect(records.map(({ after }) => after)).toContainEqual({ issuer: 'https://169.254.169.254', usable: false });
  });
});
