import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { BuiltInRole } from '@/domain/permissions';
import { hashToken, signToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { projects, roleAssignments, roles, tenants, users } from '@/server/db/schema/access';
import { clusters, nodeAgents, nodes } from '@/server/db/schema/clusters';
import { refreshTokens } from '@/server/db/schema/sign-in';
import { workloadPlacements, workloads } from '@/server/db/schema/workloads';
import { newId } from '@/server/lib/ids';
import { newNodeToken } from '@/server/traffic/agents/agent-identity';

let serial = 0;
/** A name no other fixture of this test file has. */
const unique = (stem: string) => `${stem}-${++serial}`;

const only = <T>(rows: T[]): T => {
  const [row] = rows;
  if (row === undefined) throw new Error('the fixture was not stored');
  return row;
};

export async function makeTenant(values: Partial<typeof tenants.$inferInsert> = {}) {
  return only(
    await db
      .insert(tenants)
      .values({ name: unique('tenant'), ...values })
      .returning(),
  );
}

export async function makeProject(tenant: { id: string }, values: Partial<typeof projects.$inferInsert> = {}) {
  return only(
    await db
      .insert(projects)
      .values({ tenant_id: tenant.id, name: unique('project'), ...values })
      .returning(),
  );
}

/** Gives a user a built-in role, platform-wide or for one tenant. */
export async function grantRole(user: { id: string }, role: BuiltInRole, tenant?: { id: string }): Promise<void> {
  const { id } = only(await db.select({ id: roles.id }).from(roles).where(eq(roles.name, role)));
  await db.insert(roleAssignments).values({ user_id: user.id, role_id: id, tenant_id: tenant?.id ?? null });
}

/** A user without a usable password, with a role (platform-wide, or for the tenant) when one is named. */
export async function makeUser(
  role: BuiltInRole | null = null,
  tenant?: { id: string },
  values: Partial<typeof users.$inferInsert> = {},
) {
  const email = `${unique('user')}@example.org`;
  const user = only(
    await db
      .insert(users)
      .values({ email, name: 'Test user', password_hash: 'none', ...values })
      .returning(),
  );
  if (role) await grantRole(user, role, tenant);
  return user;
}

/** Signs a user in without a password. @returns the access token and the sign-in it belongs to */
export async function signIn(user: { id: string }): Promise<{ access_token: string; family_id: string }> {
  const family_id = newId();
  await db.insert(refreshTokens).values({
    family_id,
    user_id: user.id,
    token_hash: newId(),
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  return { access_token: await signToken({ sub: user.id, sid: family_id, typ: 'access' }), family_id };
}

/** `Authorization` header of a new sign-in. */
export async function bearer(user: { id: string }): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${(await signIn(user)).access_token}` };
}

export async function makeCluster(values: Partial<typeof clusters.$inferInsert> = {}) {
  return only(
    await db
      .insert(clusters)
      .values({ name: unique('cluster'), api_url: 'https://pve.example.org:8006', ...values })
      .returning(),
  );
}

export async function makeNode(cluster: { id: string }, values: Partial<typeof nodes.$inferInsert> = {}) {
  return only(
    await db
      .insert(nodes)
      .values({ cluster_id: cluster.id, name: unique('node'), ...values })
      .returning(),
  );
}

/** Places workloads on a node: only its agent may report for them. */
export async function placeOn(node: { id: string }, ...guests: readonly { id: string }[]): Promise<void> {
  const ids = guests.map(({ id }) => id);
  await db.update(workloads).set({ node_id: node.id }).where(inArray(workloads.id, ids));
}

/** As if workloads migrated back and forth all the time: the agent of the node may report for them, too. */
export async function addFormerPlacements(node: { id: string }, ...guests: readonly { id: string }[]): Promise<void> {
  const times = { seen_at: '2000-01-01T00:00:00Z', left_at: '2200-01-01T00:00:00Z' };
  await db.insert(workloadPlacements).values(guests.map(({ id }) => ({ workload_id: id, node_id: node.id, ...times })));
}

/** Puts guests of its cluster that are nowhere on a node. */
async function adoptGuests(node: { id: string }): Promise<void> {
  const [row] = await db.select({ cluster_id: nodes.cluster_id }).from(nodes).where(eq(nodes.id, node.id));
  await db
    .update(workloads)
    .set({ node_id: node.id })
    .where(and(eq(workloads.cluster_id, row?.cluster_id ?? ''), isNull(workloads.node_id)));
}

/** The node of the cluster whose agent came first; null when none has one. */
async function reportingNode(cluster: { id: string }): Promise<string | null> {
  const [row] = await db
    .select({ id: nodes.id })
    .from(nodes)
    .innerJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(eq(nodes.cluster_id, cluster.id))
    .orderBy(nodeAgents.created_at)
    .limit(1);
  return row?.id ?? null;
}

/** An enrolled agent of a node, where guests of its cluster are that are nowhere else. @returns the `Authorization` header it sends */
export async function makeAgent(node: { id: string }): Promise<{ authorization: string }> {
  const token = newNodeToken();
  await db.insert(nodeAgents).values({ node_id: node.id, token_hash: hashToken(token) });
  await adoptGuests(node);
  return { authorization: `Bearer ${token}` };
}

/** A guest, on the node whose agent reports; with a project it belongs to that project's tenant. */
export async function makeWorkload(
  cluster: { id: string },
  project: { id: string } | null = null,
  values: Partial<typeof workloads.$inferInsert> = {},
) {
  const vmid = values.vmid ?? 1000 + ++serial;
  const kind = values.kind ?? 'qemu';
  return only(
    await db
      .insert(workloads)
      .values({
        cluster_id: cluster.id,
        project_id: project?.id ?? null,
        vmid,
        kind,
        external_id: `${kind}/${vmid}`,
        name: unique('guest'),
        node_id: await reportingNode(cluster),
        ...values,
      })
      .returning(),
  );
}

/**
 * Two tenants that must never see each other: each with a project, a guest on the same cluster, and a signed-in user of the
 * role. What belongs to one must be 404 for the other.
 */
export async function makeTwoTenants(role: BuiltInRole) {
  const cluster = await makeCluster();
  const one = async () => {
    const tenant = await makeTenant();
    const project = await makeProject(tenant);
    const user = await makeUser(role, tenant);
    return { tenant, project, workload: await makeWorkload(cluster, project), user, headers: await bearer(user) };
  };
  return { cluster, ours: await one(), theirs: await one() };
}
