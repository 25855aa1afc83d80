import { beforeEach, describe, expect, it } from 'vitest';
import { callJson } from '@/test/request';
import { Browser, createOidcLab, getProviderAnswer, returnFromProvider, signIn } from './testing/oidc-lab.fixture';

const lab = createOidcLab();

describe('the answer of the provider', () => {
  beforeEach(async () => {
    await lab.store();
    lab.provider.people.set('ivan', { email: 'ivan@example.org', email_verified: true });
  });

  it('counts once, in the browser that began, with the state that it was given', async () => {
    const browser = new Browser();
    const query = await getProviderAnswer(browser, 'ivan');
    expect((await returnFromProvider(new Browser(), query)).problem).toBe('expired');
    const other = new Browser();
    await getProviderAnswer(other, 'ivan');
    expect((await returnFromProvider(other, query)).problem).toBe('invalid');
    const tampered = new Browser();
    await getProviderAnswer(tampered, 'ivan');
    tampered.jar.set('fabric_sign_in', `${tampered.jar.get('fabric_sign_in')?.slice(0, -4)}AAAA`);
    expect((await returnFromProvider(tampered, query)).problem).toBe('expired');
    expect((await returnFromProvider(browser, query)).problem).toBeNull();
    expect((await returnFromProvider(browser, query)).problem).toBe('expired');
  });

  it('takes the place of the sign-in that this browser held', async () => {
    const first = await signIn('ivan');
    expect((await callJson('/auth/me', first.headers ?? {})).status).toBe(200);
    const elsewhere = await signIn('ivan');
    const { problem } = await returnFromProvider(first.browser, await getProviderAnswer(first.browser, 'ivan'));
    expect(problem).toBeNull();
    expect((await callJson('/auth/me', first.headers ?? {})).status).toBe(401);
    expect((await callJson('/auth/me', elsewhere.headers ?? {})).status).toBe(200);
  });

  it.each(['cross-site', 'same-site'])('rejects a start from a page of another site (%s)', async (site) => {
    const browser = new Browser();
    const start = (from: string) =>
      browser.ask('/auth/oidc/start?next=%2Fpolicies', { headers: { 'sec-fetch-site': from } });
    const refused = await start(site);
    expect([refused.status, refused.headers.get('location')]).toEqual([302, '/login?next=%2Fpolicies']);
    expect(browser.jar.size).toBe(0);
    for (const from of ['same-origin', 'none']) {
      expect((await start(from)).headers.get('location')).toMatch(/^http:\/\/(127|localhost)/);
    }
  });

  it('accepts ten attempts in two minutes after too many that could not be used', async () => {
    const browser = new Browser();
    for (let i = 0; i < 41; i += 1) {
      await browser.ask('/auth/oidc/start');
      const { problem } = await returnFromProvider(browser, '?code=x&state=y');
      expect(problem).toBe(i < 40 ? 'invalid' : 'too_many');
    }
  });

  it('rejects another issuer, a missing code, and any answer while the provider is switched off', async () => {
    const wrongIssuer = new Browser();
    const query = new URLSearchParams(await getProviderAnswer(wrongIssuer, 'ivan'));
    query.set('iss', 'https://evil.example.org');
    expect((await returnFromProvider(wrongIssuer, `?${query}`)).problem).toBe('invalid');
    const noCode = new Browser();
    const given = new URLSearchParams(await getProviderAnswer(noCode, 'ivan'));
    given.delete('code');
    expect((await returnFromProvider(noCode, `?${given}`)).problem).toBe('invalid');
    const late = new Browser();
    const good = await getProviderAnswer(late, 'ivan');
    await lab.store({ enabled: false });
    expect((await returnFromProvider(late, good)).problem).toBe('disabled');
    const started = await new Browser().ask('/auth/oidc/start');
    expect(started.headers.get('location')).toBe('/login?problem=disabled');
  });
});
