import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES, type BuiltInRole, isGranted, type RoleGrant } from '@/domain/permissions';
import type { GrantLimit } from '@/domain/restrict-grants';
import { newApiToken } from '@/server/auth/new-api-token';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens, roleAssignments, roles } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { handleRequest } from '../rest/handle-request';
import { routes } from '../rest/routes';
import { type Callable, listCallables } from './access-table.fixture';
import { handleTrpc } from './handle-trpc';
import { appRouter } from './root';

/** Somebody who calls: with these headers, holding these roles; `grants` null is nobody. */
type Caller = {
  name: string;
  headers: Record<string, string>;
  grants: RoleGrant[] | null;
  program?: boolean;
  /** Has to set up a second factor before anything else. */
  enrolling?: boolean;
};

const ROLES = Object.keys(BUILT_IN_ROLES) as BuiltInRole[];
const callables = listCallables(routes, appRouter);
const callers: Caller[] = [];

beforeAll(async () => {
  const tenant = await makeTenant();
  const nobody = { name: 'anonymous', headers: {}, grants: null };
  const inactive = await makeUser('super_admin', undefined, { active: false });
  callers.push(nobody, { name: 'deactivated super_admin', headers: await bearer(inactive), grants: null });
  callers.push({ name: 'user without role', headers: await bearer(await makeUser()), grants: [] });
  for (const role of ROLES) {
    for (const tenant_id of [null, tenant.id]) {
      const user = await makeUser(role, tenant_id === null ? undefined : tenant);
      const grants = [{ role, permissions: BUILT_IN_ROLES[role].permissions, tenant_id }];
      callers.push({ name: tenant_id ? `${role} of a tenant` : role, headers: await bearer(user), grants });
    }
  }
  await addPrograms(tenant.id);
  const strict = await makeUser('super_admin');
  const [role] = await db
    .insert(roles)
    .values({ name: 'strict', title: 'Strict', requires_second_factor: true })
    .returning();
  await db.insert(roleAssignments).values({ user_id: strict.id, role_id: role?.id ?? '' });
  callers.push({
    name: 'super_admin without a second factor',
    headers: await bearer(strict),
    grants: [],
    enrolling: true,
  });
});

/** Programs: with fewer rights than their owner, in one tenant, of a deactivated owner, expired. */
async function addPrograms(tenant_id: string) {
  const admin = await makeUser('super_admin');
  const gone = await makeUser('super_admin', undefined, { active: false });
  const add = async (name: string, owner: { id: string }, limit: GrantLimit, expires_at = '2999-01-01T00:00:00Z') => {
    const { token, prefix } = newApiToken();
    const values = { user_id: owner.id, name, prefix, token_hash: hashToken(token), expires_at };
    await db.insert(apiTokens).values({ ...values, ...limit, permissions: [...limit.permissions] });
    const grants = owner === gone || expires_at < '2999' ? null : [{ role: 'token', ...limit }];
    callers.push({ name, headers: { authorization: `Bearer ${token}` }, grants, program: true });
  };
  await add('token to read policies', admin, { permissions: ['policy:read'], tenant_id: null });
  await add('token for users in a tenant', admin, { permissions: ['user:read', 'flow:read'], tenant_id });
  await add('token of a deactivated user', gone, { permissions: ['policy:read'], tenant_id: null });
  await add('expired token', admin, { permissions: ['policy:read'], tenant_id: null }, '2020-01-01T00:00:00Z');
}

/** Sends garbage: whoever is let in gets an error about the input, and nothing is done. */
async function statusOf({ surface, method, path }: Callable, headers: Record<string, string>): Promise<number> {
  if (surface === 'REST') {
    const address = path.replace(/\{[^}]*\}/g, 'garbage');
    const request = new Request(`http://fabric.test/api/v1${address}?garbage=%00`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: method === 'GET' ? undefined : '{"garbage": ',
    });
    return (await handleRequest(routes, request)).status;
  }
  const garbage = JSON.stringify({ garbage: '\0' });
  const url = `http://fabric.test/api/trpc/${path}`;
  const request =
    method === 'mutation'
      ? new Request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: garbage })
      : new Request(`${url}?input=${encodeURIComponent(garbage)}`, { headers });
  return (await handleTrpc(appRouter, request)).status;
}

/** 401, 403 or, for those who may, neither: what the table says. */
function expected({ access }: Callable, { grants, program, enrolling }: Caller): number | 'in' {
  if ('open' in access) return 'in';
  // A user's token is not a node's, whatever the user may do.
  if ('agent' in access) return 401;
  if (grants === null) return 401;
  if (enrolling) return 'enrolling' in access && access.enrolling ? 'in' : 403;
  if ('signedIn' in access) return 'in';
  if ('person' in access) return program ? 403 : 'in';
  return isGranted(grants, access.permission) ? 'in' : 403;
}

describe('the authorisation matrix', () => {
  it('holds for every caller and everything that can be called, before any input is read', {
    timeout: 180_000,
  }, async () => {
    const before = await db.$count(auditRecords);
    const wrong: string[] = [];
    let decided = 0;
    for (const callable of callables) {
      for (const caller of callers) {
        const want = expected(callable, caller);
        const status = await statusOf(callable, caller.headers);
        const right = want === 'in' ? status !== 401 && status !== 403 && status < 500 : status === want;
        if (!right) wrong.push(`${caller.name}: ${callable.method} ${callable.path} → ${status}, expected ${want}`);
        decided += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(callers).toHaveLength(3 + 2 * ROLES.length + 4 + 1);
    expect(decided).toBe(callables.length * callers.length);
    expect(await db.$count(auditRecords)).toBe(before);
  });
});
