import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSION_REACH } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { routes } from '@/server/rest/routes';
import { call } from '@/test/request';
import { appRouter } from '../root';
import { getFieldKind } from './field-kind.fixture';
import { fill, type Input, listInputs, listSlots, send } from './inputs.fixture';
import { makeTwoFullProjects, type ProjectUser } from './two-projects.fixture';
import type { TwoTenants } from './two-tenants.fixture';

let tenants: TwoTenants;
let user: ProjectUser;
beforeAll(async () => {
  ({ tenants, user } = await makeTwoFullProjects());
  await user.signIn();
}, 90_000);
afterAll(() => tenants.lab.close());

const tables = { routes, router: appRouter };
const inputs = listInputs(routes, appRouter).filter(
  ({ reads, access }) =>
    !reads && 'permission' in access && access.permission !== '*' && PERMISSION_REACH[access.permission] !== 'platform',
);

/** What does not belong to the project, by what belonged to others at the start. */
async function listRowsOutsideProject(policies: readonly string[], groups: readonly string[]): Promise<string[]> {
  const sql = sqlClient();
  const project = user.ids.project ?? '';
  const rows = (name: string, where: ReturnType<typeof sql>) =>
    sql<{ row: string }[]>`select ${name}::text || ' ' || t::text as row from ${sql(name)} as t where ${where}`;
  const guests = sql`(select id from workloads where project_id is distinct from ${project})`;
  const found = await Promise.all([
    rows('policies', sql`project_id is distinct from ${project} or id in ${sql(policies)}`),
    rows('security_groups', sql`project_id is distinct from ${project} or id in ${sql(groups)}`),
    rows('security_rules', sql`policy_id in ${sql(policies)}`),
    rows('policy_versions', sql`policy_id in ${sql(policies)}`),
    rows('security_group_members', sql`security_group_id in ${sql(groups)} or workload_id in ${guests}`),
    rows('policy_placements', sql`policy_id in ${sql(policies)} or workload_id in ${guests}`),
    // The system's own removals are requested for what others left on workloads of the project.
    rows(
      'deployments',
      sql`kind <> 'removal' and (project_id is distinct from ${project} or policy_id in ${sql(policies)})`,
    ),
    rows('deployment_guests', sql`workload_id in ${guests}`),
    rows('guest_firewalls', sql`workload_id in ${guests}`),
    rows('residual_rules', sql`workload_id in ${guests}`),
    rows('workloads', sql`true`),
    rows('projects', sql`true`),
    rows('tenants', sql`true`),
    rows('ip_addresses', sql`true`),
    rows('role_assignments', sql`true`),
    rows('notification_rules', sql`true`),
    rows('notification_channels', sql`true`),
    rows('mapping_rules', sql`true`),
  ]);
  return found
    .flat()
    .map(({ row }) => row)
    .sort();
}

const listIdsOutsideProject = async (table: 'policies' | 'security_groups') => {
  const sql = sqlClient();
  const rows = await sql<
    { id: string }[]
  >`select id from ${sql(table)} where project_id is distinct from ${user.ids.project ?? ''}`;
  return rows.map(({ id }) => id);
};

/** What is stored at the guests of the cluster that are not the project's. */
async function guestFiles(): Promise<Record<number, string | undefined>> {
  const rows = await sqlClient()<{ vmid: number }[]>`select vmid from workloads
    where cluster_id = ${tenants.lab.cluster.id} and project_id is distinct from ${user.ids.project ?? ''} order by vmid`;
  return Object.fromEntries(rows.map(({ vmid }) => [vmid, tenants.lab.control.firewall.guestFile(vmid) ?? undefined]));
}

async function runAll(): Promise<void> {
  const queued = await sqlClient()<
    { id: string }[]
  >`select id from deployments where status = 'queued' and kind <> 'removal'`;
  for (const { id } of queued) await runDeployment(id, { signal: new AbortController().signal });
}

/** Ids of others for a place of an input: of the other project, of the tenant as a whole, and of its workloads. */
function othersFor(input: Input, path: readonly string[]): string[] {
  const { ours, theirs } = tenants;
  const kind = getFieldKind(input, path);
  const ids = [theirs.ids[`own_${kind}`], theirs.ids[kind], ours.ids[kind], theirs.ids.other_workload];
  return [...new Set(ids.flatMap((id) => (id && id !== user.ids[kind] ? [id] : [])))];
}

describe('a user with a role for one project', () => {
  it('creates, changes, applies and deletes policies and groups of the project', async () => {
    const post = async (path: string, body: object, method = 'POST') => {
      const answer = await call(path, { method, headers: user.headers(), body });
      return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') };
    };
    const group = await post('/security-groups', { name: 'by the project', member_tags: ['ours-tag', 'zzb-tag'] });
    expect(group).toMatchObject({ status: 201, body: { project_id: user.ids.project, tenant_id: user.ids.tenant } });
    expect(group.body.members_total).toBe(2);
    const definition = { enforcement_mode: 'enforced', sources: ['any'], targets: ['sg:by the project'] };
    const made = await post('/policies', { name: 'by the project', definition });
    expect(made).toMatchObject({ status: 201, body: { project_id: user.ids.project, tier: 'tenant' } });
    const path = `/policies/${made.body.id}`;
    const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['9443'] }];
    const preview = await post(`${path}/preview`, { rules });
    expect(preview.body.totals).toMatchObject({ guests: 2, added: 2 });
    expect((await post(path, { rules }, 'PATCH')).status).toBe(200);
    const applied = await post(`${path}/apply`, { override_tests: { reason: 'the tests of others fail by design' } });
    const id = applied.body.clusters[0].deployment_id;
    await runDeployment(id, { signal: new AbortController().signal });
    const read = async (what: string) => (await call(what, { headers: user.headers() })).json();
    expect(await read(`/deployments/${id}`)).toMatchObject({ status: 'ok', writes: expect.any(Number) });
    expect(await read(path)).toMatchObject({ deployment_status: 'active', last_deployment: { id } });
    expect((await read(`${path}/versions`)).total).toBe(2);
    expect((await read(`${path}/coverage`)).policy_id).toBe(made.body.id);
    const deleted = await post(path, {}, 'DELETE');
    expect(deleted).toMatchObject({ status: 200, body: { cleanup: [{ deployment_id: expect.any(String) }] } });
    await runDeployment(deleted.body.cleanup[0].deployment_id, { signal: new AbortController().signal });
    expect(tenants.lab.control.firewall.guestFile(100)).not.toContain(made.body.id);
    expect(
      (await call(`/security-groups/${group.body.id}`, { method: 'DELETE', headers: user.headers() })).status,
    ).toBe(204);
  });

  it('may use names that others have, without learning of them', async () => {
    const policy = { definition: { enforcement_mode: 'audit', sources: ['any'], targets: ['any'] } };
    for (const [path, name, body] of [
      ['/policies', 'zzb-policy', policy],
      ['/security-groups', 'zzb-group', {}],
    ] as const) {
      const answer = await call(path, { method: 'POST', headers: user.headers(), body: { ...body, name } });
      expect(answer.status).toBe(201);
      const again = await call(path, { method: 'POST', headers: user.headers(), body: { ...body, name } });
      expect(again.status).toBe(409);
    }
  });

  it('changes nothing outside the project, whatever id stands wherever one may stand', async () => {
    const [policies, groups] = [
      await listIdsOutsideProject('policies'),
      await listIdsOutsideProject('security_groups'),
    ];
    const before = await listRowsOutsideProject(policies, groups);
    const files = await guestFiles();
    const refused: string[] = [];
    let sent = 0;
    for (const input of inputs) {
      await user.signIn();
      const asked: unknown[] = [fill(input, tenants.ours.ids)];
      for (const slot of listSlots(input)) {
        if (slot.holds !== 'id') continue;
        for (const id of othersFor(input, slot.path)) asked.push(fill(input, user.ids, { slot, value: () => id }));
      }
      for (const value of asked) {
        const { status, text } = await send(tables, input, value, user.headers());
        if (status >= 500 || status === 401) refused.push(`${input.name} ${status} ${text}`);
        sent += 1;
      }
      const now = new Set(await listRowsOutsideProject(policies, groups));
      const changed = before.filter((row) => !now.has(row));
      expect(changed, input.name).toEqual([]);
      expect(now.size, input.name).toBe(before.length);
    }
    await runAll();
    expect(await guestFiles()).toEqual(files);
    expect(await listRowsOutsideProject(policies, groups)).toEqual(before);
    expect(refused).toEqual([]);
    expect(sent).toBeGreaterThan(120);
  });
});
