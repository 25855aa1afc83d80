import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  BUILT_IN_ROLES,
  type BuiltInRole,
  type GrantLimit,
  isGranted,
  PERMISSIONS,
  type Permission,
  type RoleGrant,
} from '@/domain/permissions';
import { newApiToken } from '@/server/access/account/api-tokens';
import { hashToken, signToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { roleAssignments, roles } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { apiTokens, refreshTokens } from '@/server/db/schema/sign-in';
import {
  bearer,
  makeAgent,
  makeCluster,
  makeNode,
  makeTenant,
  makeTwoTenants,
  makeUser,
  signIn,
} from '@/test/factories';
import { call } from '@/test/request';
import { handleRequest } from '../rest/handle-request';
import { routes } from '../rest/routes';
import { type Callable, listCallables, toPageCallable } from './access-table.fixture';
import { handleTrpc } from './handle-trpc';
import { appRouter } from './root';

/** A caller: with these headers, holding these roles; `grants` null is unauthenticated. */
type Caller = {
  name: string;
  headers: Record<string, string>;
  grants: RoleGrant[] | null;
  /** The only permission that is held. */
  only?: Permission;
  /** An API token, which may not do what only a person may; the token of a node's agent; a person who has to set up a second factor first. */
  kind?: 'program' | 'agent' | 'enrolling';
};

const ROLES = Object.keys(BUILT_IN_ROLES) as BuiltInRole[];
const callables = listCallables(routes, appRouter);
const callers: Caller[] = [];

beforeAll(async () => {
  const tenant = await makeTenant();
  const anonymous = { name: 'anonymous', headers: {}, grants: null };
  const inactive = await makeUser('super_admin', undefined, { active: false });
  callers.push(anonymous, { name: 'deactivated super_admin', headers: await bearer(inactive), grants: null });
  callers.push({ name: 'user without role', headers: await bearer(await makeUser()), grants: [] });
  for (const role of ROLES) {
    for (const tenant_id of [null, tenant.id]) {
      const user = await makeUser(role, tenant_id === null ? undefined : tenant);
      const grants = [{ role, permissions: BUILT_IN_ROLES[role].permissions, tenant_id, project_id: null }];
      callers.push({ name: tenant_id ? `${role} of a tenant` : role, headers: await bearer(user), grants });
    }
  }
  for (const permission of PERMISSIONS) {
    const role = await makeRole([permission]);
    const user = await makeUser();
    await db.insert(roleAssignments).values({ user_id: user.id, role_id: role.id });
    const grants = [{ role: role.name, permissions: [permission], tenant_id: null, project_id: null }];
    callers.push({ name: `only ${permission}`, headers: await bearer(user), grants, only: permission });
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
    kind: 'enrolling',
  });
  await addWrongTokens(tenant.id);
});

async function makeRole(permissions: string[]) {
  const name = `only_${permissions.join('_').replace(/[^a-z]/g, '_')}`;
  const [role] = await db.insert(roles).values({ name, title: name, permissions }).returning();
  if (!role) throw new Error('the role was not stored');
  return role;
}

/** Tokens that contain something true about a user but must not grant access. */
async function addWrongTokens(tenant_id: string) {
  const admin = await makeUser('super_admin');
  const anonymous = (name: string, token: string) =>
    callers.push({ name, headers: { authorization: `Bearer ${token}` }, grants: null });
  const claims = async () => ({ sub: admin.id, sid: (await signIn(admin)).family_id });
  anonymous('refresh token of a super_admin', await signToken({ ...(await claims()), typ: 'refresh' }));
  const ended = await signIn(admin);
  await db
    .update(refreshTokens)
    .set({ revoked_at: new Date().toISOString() })
    .where(eq(refreshTokens.family_id, ended.family_id));
  anonymous('session that was ended', ended.access_token);
  const { access_token } = await signIn(admin);
  anonymous('token with another signature', `${access_token.slice(0, -6)}AAAAAA`);
  const [head, , signature] = access_token.split('.');
  const claimed = Buffer.from(JSON.stringify({ ...(await claims()), typ: 'access', exp: 9_999_999_999 })).toString(
    'base64url',
  );
  anonymous('token with other claims', [head, claimed, signature].join('.'));
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  anonymous('token without a signature', `${none}.${claimed}.`);
  const node = await makeNode(await makeCluster());
  callers.push({ name: "agent's token", headers: await makeAgent(node), grants: null, kind: 'agent' });
  const late = await makeUser();
  const [super_admin] = await db.select().from(roles).where(eq(roles.name, 'super_admin'));
  if (!super_admin) throw new Error('no role super_admin');
  const expires_at = '2020-01-01T00:00:00Z';
  await db.insert(roleAssignments).values([
    { user_id: late.id, role_id: super_admin.id, expires_at },
    { user_id: late.id, role_id: super_admin.id, tenant_id, expires_at },
  ]);
  callers.push({ name: 'roles that have expired', headers: await bearer(late), grants: [] });
}

/** Programs: with fewer rights than their owner, in one tenant, of a deactivated owner, expired. */
async function addPrograms(tenant_id: string) {
  const admin = await makeUser('super_admin');
  const gone = await makeUser('super_admin', undefined, { active: false });
  const add = async (name: string, owner: { id: string }, limit: GrantLimit, expires_at = '2999-01-01T00:00:00Z') => {
    const { token, prefix } = newApiToken();
    const values = { user_id: owner.id, name, prefix, token_hash: hashToken(token), expires_at };
    await db.insert(apiTokens).values({ ...values, ...limit, permissions: [...limit.permissions] });
    const grants = owner === gone || expires_at < '2999' ? null : [{ role: 'token', ...limit, project_id: null }];
    callers.push({ name, headers: { authorization: `Bearer ${token}` }, grants, kind: 'program' });
  };
  await add('token to read policies', admin, { permissions: ['policy:read'], tenant_id: null });
  await add('token for users in a tenant', admin, { permissions: ['user:read', 'flow:read'], tenant_id });
  await add('token of a deactivated user', gone, { permissions: ['policy:read'], tenant_id: null });
  await add('expired token', admin, { permissions: ['policy:read'], tenant_id: null }, '2020-01-01T00:00:00Z');
}

/** Sends garbage: an admitted caller gets an error about the input, and nothing is done. */
async function sendGarbage({ surface, method, path }: Callable, headers: Record<string, string>): Promise<number> {
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
function getExpected({ access, path }: Callable, { grants, kind }: Caller): number | 'in' {
  if ('open' in access) return 'in';
  // A user's token is not a node's, whatever the user's permissions, and a node's token belongs to no user.
  if ('agent' in access) return kind === 'agent' ? 'in' : 401;
  if (grants === null) return 401;
  if (kind === 'enrolling') return 'enrolling' in access && access.enrolling ? 'in' : 403;
  if ('signedIn' in access) return 'in';
  if ('person' in access) return kind === 'program' ? 403 : 'in';
  if ('permission' in access) return isGranted(grants, access.permission) ? 'in' : 403;
  throw new Error(`${path} says in a new way who may call it. Say here what each kind of caller gets.`);
}

/** Of callers with a single permission: the required one, and its neighbors in the list, of the same resource. */
function isRelevant({ only }: Caller, { access }: Callable): boolean {
  if (only === undefined) return true;
  const target = 'permission' in access ? PERMISSIONS.findIndex((one) => one === access.permission) : 0;
  return Math.abs(PERMISSIONS.indexOf(only) - target) <= 1;
}

/** Who of these callers gets another answer than the table says. */
async function findWrongResponses(callable: Callable, asked: readonly Caller[]): Promise<string[]> {
  const statuses = await Promise.all(asked.map(({ headers }) => sendGarbage(callable, headers)));
  return asked.flatMap((caller, i) => {
    const want = getExpected(callable, caller);
    const status = statuses[i] ?? 0;
    const right = want === 'in' ? status !== 401 && status !== 403 && status < 500 : status === want;
    return right ? [] : [`${caller.name}: ${callable.method} ${callable.path} → ${status}, expected ${want}`];
  });
}

describe('the authorization matrix', () => {
  it('holds for every caller and everything that can be called, before any input is read', async () => {
    const before = await db.$count(auditRecords);
    const wrong: string[] = [];
    let decided = 0;
    for (const callable of callables) {
      const asked = callers.filter((caller) => isRelevant(caller, callable));
      wrong.push(...(await findWrongResponses(callable, asked)));
      decided += asked.length;
    }
    expect(wrong).toEqual([]);
    expect(callers).toHaveLength(3 + 2 * ROLES.length + PERMISSIONS.length + 4 + 1 + 7);
    expect(decided).toBeGreaterThan(callables.length * (callers.length - PERMISSIONS.length));
    expect(await db.$count(auditRecords)).toBe(before);
  });

  it('applies to pages too: one operation of each kind of right, with every caller', async () => {
    const kinds = new Map(
      callables.filter(({ page }) => page !== null).map((one) => [JSON.stringify(one.access), one]),
    );
    expect(kinds.size).toBeGreaterThan(PERMISSIONS.length / 2);
    const wrong: string[] = [];
    for (const callable of [...kinds.values()].map((one) => toPageCallable(one, appRouter))) {
      const asked = callers.filter((caller) => isRelevant(caller, callable));
      wrong.push(...(await findWrongResponses(callable, asked)));
    }
    expect(wrong).toEqual([]);
  });
});

describe('a tenant-scoped user', () => {
  it('sees the own guest and finds nothing where another tenant’s is', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const status = async (id: string, headers: Record<string, string>) =>
      (await call(`/workloads/${id}`, { headers })).status;
    expect(await status(ours.workload.id, ours.headers)).toBe(200);
    expect(await status(theirs.workload.id, ours.headers)).toBe(404);
    expect(await status(theirs.workload.id, theirs.headers)).toBe(200);
    const list = await (await call('/workloads', { headers: ours.headers })).json();
    expect(list.items.map((w: { id: string }) => w.id)).toEqual([ours.workload.id]);
    expect(list.total).toBe(1);
  });
});
