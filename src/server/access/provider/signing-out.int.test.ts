import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SignedOut } from '@/domain/sign-in-provider';
import { db } from '@/server/db/client';
import { providerSessions } from '@/server/db/schema/sign-in';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { Browser, createOidcLab, listAuditRecords, PUBLIC, signIn } from './testing/oidc-lab.fixture';

const lab = createOidcLab();
beforeEach(() => {
  lab.provider.people.set('olga', { email: 'olga@example.org', email_verified: true });
});

async function signOut(browser: Browser) {
  const response = await browser.ask('/auth/oidc/logout', { method: 'POST' });
  expect(response.status).toBe(200);
  return (await response.json()) as SignedOut;
}
const isSignedIn = async (browser: Browser) => (await browser.ask('/auth/refresh', { body: {} })).ok;
const listProviderSessions = () => db.select().from(providerSessions);

describe('signing out of a sign-in through the provider', () => {
  it('ends the session at the provider as well, and comes back to the sign-in page', async () => {
    await lab.store({ sign_out_at_provider: true });
    const there = new Browser();
    const { browser } = await signIn('olga', there);
    const [stored] = await listProviderSessions();
    expect(stored?.issuer).toBe(lab.provider.issuer);
    expect(stored?.id_token_encrypted).not.toContain('eyJ');
    const { provider_session, provider_url } = await signOut(browser);
    expect(provider_session).toBe('ends');
    expect(await isSignedIn(browser)).toBe(false);
    expect(await listProviderSessions()).toEqual([]);
    const url = new URL(provider_url ?? '');
    expect(url.origin).toBe(lab.provider.issuer);
    expect(decodeJwt(url.searchParams.get('id_token_hint') ?? '')).toMatchObject({ sub: 'olga', aud: 'fabric' });

    // The provider asks, and sends back.
    const page = await (await there.visit(url.href)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const done = await there.visit(`${lab.provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    const back = new URL(done.headers.get('location') ?? '');
    expect(`${back.origin}${back.pathname}`).toBe(`${PUBLIC}/api/v1/auth/oidc/signed-out`);
    const answer = await browser.ask(`/auth/oidc/signed-out${back.search}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login?signed_out=provider']);
    // The state is used up the second time, and another browser never had it.
    for (const one of [browser, new Browser()])
      expect((await one.ask(`/auth/oidc/signed-out${back.search}`)).headers.get('location')).toBe('/login');
    // The next sign-in asks who one is: the provider forgot.
    const started = await browser.ask('/auth/oidc/start');
    const asked = await there.visit(started.headers.get('location') ?? '');
    expect(asked.headers.get('location')).toContain('/interaction/');
  });

  it('goes there without a hint when the sign-in is older than the setting', async () => {
    await lab.store();
    const { browser } = await signIn('olga');
    expect(await listProviderSessions()).toEqual([]);
    await lab.store({ sign_out_at_provider: true });
    const { provider_session, provider_url } = await signOut(browser);
    expect(provider_session).toBe('ends');
    const { searchParams } = new URL(provider_url ?? '');
    expect([searchParams.get('client_id'), searchParams.has('id_token_hint')]).toEqual(['fabric', false]);
  });

  it('stays here when the setting is off, and for sign-ins with a password', async () => {
    const { body } = await lab.store();
    expect(body.sign_out_at_provider).toBe(false);
    const { browser } = await signIn('olga');
    const none = { provider_session: 'none', provider_url: null };
    expect(await signOut(browser)).toEqual(none);
    expect((await lab.store({ sign_out_at_provider: true })).body.sign_out_at_provider).toBe(true);
    // Left out it stays.
    expect((await lab.store({ label: 'Other' })).body.sign_out_at_provider).toBe(true);
    const headers = await bearer(await makeUser());
    expect(await (await call('/auth/oidc/logout', { method: 'POST', headers })).json()).toEqual(none);
    expect(await (await call('/auth/oidc/logout', { method: 'POST' })).json()).toEqual(none);
    const [record] = await listAuditRecords('settings.sign_in_provider_updated');
    expect(record?.after).toMatchObject({ sign_out_at_provider: true });
  });

  it('ends here alone, and says so, when the provider does not answer or is another one by now', async () => {
    await lab.store({ sign_out_at_provider: true });
    const first = await signIn('olga');
    const second = await signIn('olga');
    await lab.store({ sign_out_at_provider: true, issuer: 'http://127.0.0.1:1' });
    const here = { provider_session: 'kept', provider_url: null };
    expect(await signOut(first.browser)).toEqual(here);
    expect(await isSignedIn(first.browser)).toBe(false);
    // Of a sign-in about which nothing is known the provider of now is asked, and it is down.
    await db.delete(providerSessions).where(eq(providerSessions.user_id, second.user?.id ?? ''));
    expect(await signOut(second.browser)).toEqual(here);
    expect(await isSignedIn(second.browser)).toBe(false);
  });

  it('forgets what was kept when a sign-in ends in another way, and takes no order from another site', async () => {
    await lab.store({ sign_out_at_provider: true });
    const { browser, headers } = await signIn('olga');
    const elsewhere = await browser.ask('/auth/oidc/logout', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(elsewhere.status).toBe(403);
    expect(await listProviderSessions()).toHaveLength(1);
    expect(await isSignedIn(browser)).toBe(true);
    await call('/auth/logout', { method: 'POST', headers });
    expect(await listProviderSessions()).toEqual([]);
  });
});
