import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Timeline, TimelineEvent } from '@/domain/timeline';
import { db } from '@/server/db/client';
import { roleAssignments } from '@/server/db/schema/access';
import { hypervisorEdits } from '@/server/db/schema/agents';
import { workloadCoverage } from '@/server/db/schema/coverage';
import { workloads } from '@/server/db/schema/workloads';
import {
  apply,
  at,
  create,
  DEFINITION,
  get,
  lab,
  post,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';

prepareDeploymentLab();

const read = (id: string, query = '') => get<Timeline>(`/workloads/${id}/timeline?limit=200${query}`);
const change = (id: string, values: Partial<typeof workloads.$inferInsert>) =>
  db.update(workloads).set(values).where(eq(workloads.id, id));
/** What a reader learns of an event. */
const show = ({ kind, subject, object, differences }: TimelineEvent) =>
  [kind, subject, object?.name, ...differences.map((one) => `${one.field}: ${one.before} > ${one.after}`)]
    .filter(Boolean)
    .join(' ');

it('lists everything that touched a workload, newest first, page by page', async () => {
  const id = await lab.id(100);
  const start = new Date().toISOString();
  await change(id, { name: 'web-new', tags: ['shop'] });
  const { body: group } = await post<{ id: string }>('/security-groups', { name: 'web servers' });
  await post(`/security-groups/${group.id}/members`, { workload_id: id });
  await lab.json(`/security-groups/${group.id}/members/${id}`, { method: 'DELETE' });
  const policy = await create({ name: 'web', definition: { ...DEFINITION, targets: [at(100)] } });
  await apply(policy);
  await lab.observe();
  lab.control.firewall.insertRule(100, 'IN ACCEPT -p tcp -dport 9100 -log nolog # by hand', 0);
  const [first = ''] = (lab.control.firewall.guestFile(100) ?? '')
    .split('\n')
    .filter((line) => line.includes(policy.id));
  lab.control.firewall.setFile(
    'firewall/100.fw',
    (lab.control.firewall.guestFile(100) ?? '').replace(first, first.replace('ACCEPT', 'DROP')),
  );
  await lab.observe();
  await db.insert(hypervisorEdits).values({
    cluster_id: lab.cluster.id,
    object: 'guest_firewall',
    vmid: 100,
    at: new Date().toISOString(),
    user_name: 'root@pam',
  });
  const day = new Date().toISOString().slice(0, 10);
  await db.insert(workloadCoverage).values({ day, workload_id: id, flows: 1, last_flow_at: new Date().toISOString() });

  const { items } = await read(id, `&since=${start}`);
  expect(items.map(({ at: moment }) => moment)).toEqual(
    items
      .map(({ at: moment }) => moment)
      .sort()
      .reverse(),
  );
  // The clock of the lab is ahead of that of the database.
  const found = items.filter(({ kind }) => kind !== 'agent_gap').map(show);
  expect(found.sort()).toEqual([
    'deployment ok web',
    'drift_found edited web',
    'drift_found shadowed web',
    'first_traffic',
    'group_joined web servers',
    'group_left web servers',
    'hypervisor_edit guest_firewall',
    'last_traffic',
    'policy_saved 1 web',
    'rules_read rules: 5 > 6',
    'workload_changed name: web-01 > web-new tags: prod, web > shop',
  ]);

  const pages: TimelineEvent[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Timeline = await get(
      `/workloads/${id}/timeline?limit=3&since=${start}&until=2999-01-01T00:00:00Z${cursor && `&cursor=${cursor}`}`,
    );
    pages.push(...page.items);
    cursor = page.next_cursor;
  }
  const other = Buffer.from(JSON.stringify([5, id])).toString('base64url');
  expect((await lab.json(`/workloads/${id}/timeline?cursor=${other}`)).status).toBe(400);
  const withoutGaps = (list: readonly TimelineEvent[]) =>
    list.filter(({ kind }) => kind !== 'agent_gap').map((one) => one.id);
  expect(withoutGaps(pages)).toEqual(withoutGaps(items));
});

it('lists membership by tag with what began and ended it', async () => {
  const id = await lab.id(101);
  const start = new Date().toISOString();
  const { body: group } = await post<{ id: string; version: number }>('/security-groups', {
    name: 'by tag',
    member_tags: ['a', 'b'],
    member_tags_match: 'all',
  });
  await change(id, { tags: ['a'] });
  await change(id, { tags: ['a', 'b', 'c'] });
  // Still a member.
  await change(id, { tags: ['b', 'a'] });
  const saved = await lab.json(`/security-groups/${group.id}`, {
    method: 'PATCH',
    body: { member_tags: ['a', 'z'] },
  });
  expect(saved.status).toBe(200);
  const { items } = await read(id, `&since=${start}`);
  const found = items.filter(({ object }) => object?.name === 'by tag').map(show);
  expect(found).toEqual([
    'group_left_by_tag by tag group_tags: a, b > a, z',
    'group_joined_by_tag by tag tags: a > a, b, c',
  ]);
  // Who saved the group is on record; what a sync reads was done by people that are not known.
  const joined = await lab.json(`/security-groups/${group.id}/members`, {
    method: 'PATCH',
    body: { add: [id] },
  });
  expect([joined.status, joined.body]).toEqual([200, expect.anything()]);
  const after = await read(id, `&since=${start}`);
  const actors = after.items.filter(({ object }) => object?.name === 'by tag').map((one) => [one.kind, one.actor_name]);
  expect(actors).toEqual([
    ['group_joined', expect.stringContaining('@')],
    ['group_left_by_tag', expect.stringContaining('@')],
    ['group_joined_by_tag', null],
  ]);
});

it('shows each tenant what happened while the workload was its own', async () => {
  const id = await lab.id(102);
  const [ours, theirs] = await Promise.all(
    [1, 2].map(async () => {
      const tenant = await makeTenant();
      const headers = await bearer(await makeUser('viewer', tenant));
      const list = async () => {
        const answer = await lab.json(`/workloads/${id}/timeline?limit=200`, { headers });
        return answer.status === 200 ? (answer.body as Timeline).items.map(show).reverse() : answer.status;
      };
      return { project: await makeProject(tenant, { name: `shop of ${tenant.id}` }), list };
    }),
  );
  if (!ours || !theirs) throw new Error('expected two tenants');
  await change(id, { name: 'unowned' });
  await change(id, { project_id: ours.project.id });
  await change(id, { name: 'ours' });
  expect(await theirs.list()).toBe(404);
  await change(id, { project_id: theirs.project.id });
  await change(id, { name: 'theirs' });
  await change(id, { project_id: ours.project.id });
  await change(id, { name: 'ours again' });
  const names = { ours: ours.project.name, theirs: theirs.project.name };
  expect(await theirs.list()).toEqual([
    `workload_changed project: null > ${names.theirs}`,
    'workload_changed name: ours > theirs',
  ]);
  expect(await ours.list()).toEqual([
    // Time without an owner is that of the first one.
    ...['workload_added', 'interface_added net0', 'interface_added net1', 'workload_changed name: db-01 > unowned'],
    `workload_changed project: null > ${names.ours}`,
    'workload_changed name: unowned > ours',
    `workload_changed project: null > ${names.ours}`,
    'workload_changed name: theirs > ours again',
  ]);
});

it('shows edits of a workload from when it was found, not those of the former one with its VMID', async () => {
  const id = await lab.id(102);
  const [workload] = await db.select().from(workloads).where(eq(workloads.id, id));
  if (!workload) throw new Error('expected a workload');
  const found = Date.parse(workload.created_at);
  const edit = (user_name: string, seconds: number) =>
    db.insert(hypervisorEdits).values({
      ...{ cluster_id: lab.cluster.id, object: 'guest_firewall' as const, vmid: workload.vmid, user_name },
      at: new Date(found + seconds * 1000).toISOString(),
    });
  await edit('former@pve', -60);
  await edit('owner@pve', 0.002);
  const tenant = await makeTenant();
  await change(id, { project_id: (await makeProject(tenant)).id });
  for (const reader of [await makeUser('viewer', tenant), await makeUser('viewer')]) {
    const { body } = await lab.json(`/workloads/${id}/timeline?limit=200`, { headers: await bearer(reader) });
    const edits = (body as Timeline).items.filter(({ kind }) => kind === 'hypervisor_edit');
    expect(edits.map(({ actor_name }) => actor_name)).toEqual(['owner@pve']);
  }
});

it('shows people of one project the time since a workload came to it, and groups of the project', async () => {
  const id = await lab.id(103);
  const tenant = await makeTenant();
  const [shop, other] = await Promise.all([makeProject(tenant), makeProject(tenant)]);
  const user = await makeUser('viewer', tenant);
  await db.update(roleAssignments).set({ project_id: shop.id }).where(eq(roleAssignments.user_id, user.id));
  const headers = await bearer(user);
  for (const project of [shop, other]) {
    const made = await post('/security-groups', {
      name: `all of ${project.id}`,
      tenant_id: tenant.id,
      project_id: project.id,
      member_tags: ['x'],
    });
    expect(made.status).toBe(201);
  }
  const list = async () => {
    const answer = await lab.json(`/workloads/${id}/timeline?limit=200`, { headers });
    return answer.status === 200 ? (answer.body as Timeline).items.map(show).reverse() : answer.status;
  };
  await change(id, { tags: ['secret'], project_id: other.id });
  expect(await list()).toBe(404);
  // What its tags were before is of the other project.
  await change(id, { tags: ['x'], project_id: shop.id });
  await change(id, { name: 'of the shop' });
  const found = await list();
  expect(found).toEqual([
    `group_joined_by_tag all of ${shop.id}`,
    `workload_changed project: null > ${shop.name}`,
    expect.stringMatching(/^workload_changed name: .* > of the shop$/),
  ]);
  await change(id, { project_id: other.id });
  expect(await list()).toBe(404);
});
