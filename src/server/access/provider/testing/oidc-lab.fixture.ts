import { desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import type { SignInProvider } from '@/domain/sign-in-provider';
import type { User } from '@/domain/user';
import { db, sqlClient } from '@/server/db/client';
import { roles } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { bearer, makeUser } from '@/test/factories';
import { OIDC_CLIENT, startOidcProvider } from '@/test/oidc-provider';
import { call, callJson } from '@/test/request';

type Headers = Record<string, string>;
/** Where the browser finds the Fabric that signs in. */
export const PUBLIC = 'http://fabric.test';
export type Problem = { errors?: { field: string }[]; reason?: string };

export const roleId = async (name: string) =>
  (await db.select({ id: roles.id }).from(roles).where(eq(roles.name, name)))[0]?.id ?? '';

/** A running sign-in provider, and a Fabric in which none is set up yet; created again for each test. */
class OidcLab {
  provider!: Awaited<ReturnType<typeof startOidcProvider>>;
  /** Headers of a super administrator. */
  boss!: Headers;
  input: Record<string, unknown> = {};
  /** Stores the settings of the provider. */
  store = (changes: object = {}) =>
    callJson<SignInProvider & Problem>('/settings/sign-in-provider', this.boss, {
      method: 'PUT',
      body: { ...this.input, ...changes },
    });
  rolesOf = async (user: { id: string }) =>
    (await callJson<User>(`/users/${user.id}`, this.boss)).body.assignments.map(({ role, tenant_id, source }) => [
      role,
      tenant_id,
      source,
    ]);
}

/** Starts the provider for the tests of a file, and takes back what they set up. */
export function createOidcLab(): OidcLab {
  // Before anything reads the environment: that happens once.
  vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');
  const lab = new OidcLab();
  beforeAll(async () => {
    lab.provider = await startOidcProvider(() => `${PUBLIC}/api/v1/auth/oidc/callback`);
    lab.boss = await bearer(await makeUser('super_admin'));
  });
  afterAll(() => lab.provider.stop());
  beforeEach(async () => {
    await sqlClient()`truncate rate_limits`;
    await sqlClient()`delete from oidc_role_mappings`;
    await sqlClient()`delete from oidc_settings`;
    lab.input = {
      enabled: true,
      label: 'Example',
      issuer: lab.provider.issuer,
      ...OIDC_CLIENT,
      scopes: ['email', 'profile', 'groups'],
      group_claim: 'groups',
      public_url: `${PUBLIC}/`,
      create_users: true,
      link_by_email: false,
      trusts_second_factor: false,
      mappings: [],
    };
  });
  return lab;
}

/** Cookies of one browser, by name. */
export class Browser {
  readonly jar = new Map<string, string>();
  header = () => [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  take(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return response;
  }
  /** Opens an address outside of the service. */
  visit = async (url: string, form?: Record<string, string>) =>
    this.take(
      await fetch(url, {
        redirect: 'manual',
        headers: { cookie: this.header() },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      }),
    );
  ask = async (path: string, init: Parameters<typeof call>[1] = {}) =>
    this.take(await call(path, { ...init, headers: { ...init.headers, cookie: this.header() } }));
}

/** Goes to the provider, is `sub` there, and returns with what the provider says: the query of the callback. */
export async function getProviderAnswer(
  browser: Browser,
  sub: string,
  { next = '/policies', there = new Browser() } = {},
): Promise<string> {
  const started = await browser.ask(`/auth/oidc/start?next=${encodeURIComponent(next)}`);
  expect(started.status).toBe(302);
  let url = started.headers.get('location') ?? '';
  for (let hop = 0; hop < 10; hop += 1) {
    if (url.startsWith(PUBLIC)) return new URL(url).search;
    if (url.includes('/interaction/')) url += `?sub=${sub}`;
    const response = await there.visit(url);
    url = new URL(response.headers.get('location') ?? '', url).href;
  }
  throw new Error('the provider sends in circles');
}
/** Comes back from the provider. @returns where the browser is sent */
export async function returnFromProvider(browser: Browser, query: string) {
  const response = await browser.ask(`/auth/oidc/callback${query}`);
  expect(response.status).toBe(302);
  const location = new URL(response.headers.get('location') ?? '', PUBLIC);
  expect(location.pathname).toBe('/login');
  return { problem: location.searchParams.get('problem'), next: location.searchParams.get('next'), location };
}
/** Signs in through the provider. @returns who one is then, or the problem */
export async function signIn(sub: string, there = new Browser()) {
  const browser = new Browser();
  const { problem, next, location } = await returnFromProvider(
    browser,
    await getProviderAnswer(browser, sub, { there }),
  );
  if (problem) return { problem, user: null, browser, location };
  const refreshed = await browser.ask('/auth/refresh', { body: {} });
  const body = refreshed.ok ? ((await refreshed.json()) as { access_token: string; user: CurrentUser }) : null;
  const headers = { authorization: `Bearer ${body?.access_token}` };
  return { problem: null, user: body?.user ?? null, browser, next, headers, location };
}
export const listAuditRecords = (action: string) =>
  db.select().from(auditRecords).where(eq(auditRecords.action, action)).orderBy(desc(auditRecords.seq));
