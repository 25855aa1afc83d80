import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Change } from '@/domain/change/change';
import { toPosition } from '@/domain/suggestion/compute';
import { PLANTED_SINCE, type Planted, plantPolicy } from '@/domain/suggestion/planted.fixture';
import type { Suggestion } from '@/domain/suggestion/suggestion';
import { db, sqlClient } from '@/server/db/client';
import { trafficConversations } from '@/server/db/schema/flows';
import * as jobs from '@/server/jobs/enqueue';
import { newId } from '@/server/lib/ids';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import * as requestImpact from '../impact/request-impact';
import { runSuggestion } from './run-suggestion';

vi.spyOn(jobs, 'enqueue').mockResolvedValue();
const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;
/** The planted day ends now. */
const SHIFT = Math.floor(Date.now() / 1_000) * 1_000 - 24 * HOUR_MS - PLANTED_SINCE;
const iso = (time: number) => new Date(time + SHIFT).toISOString();

type Headers = { authorization: string };
type Ids = { project: string; tenant: string; workloads: string[]; headers: Headers };
let ours: Ids;
let theirs: Ids;
let admin: Headers;
let viewer: Headers;
let planted: Planted;
let cluster: { id: string };

type Answer<T> = { status: number; body: T & { errors?: { field: string }[]; detail?: string } };
async function send<T>(path: string, body: object | undefined, headers: Headers, method?: string): Promise<Answer<T>> {
  const response = await call(path, { headers, ...(body && { body }), ...(method && { method }) });
  return { status: response.status, body: JSON.parse((await response.text()) || 'null') };
}

type Row = typeof trafficConversations.$inferInsert;
/** Conversations as they are stored; `addresses` of workloads, by their number. */
const toRows = (workloads: readonly string[], prefix: string, values: Partial<Row> = {}): Row[] =>
  planted.pairs.flatMap((pair) => {
    const number = (id: string | null) => planted.workloads.findIndex((one) => one.id === id);
    const [client, server] = [number(pair.client.workload_id), number(pair.server.workload_id)];
    const count = pair.conversations + pair.held_out;
    return Array.from({ length: count }, (_, n): Row => {
      const isHeldOut = n >= pair.conversations;
      const at = isHeldOut ? PLANTED_SINCE + 20 * HOUR_MS + n : PLANTED_SINCE + HOUR_MS + n;
      return {
        ...{ id: newId(), conversation_key: newId(), ordinal: 0, cluster_id: cluster.id, protocol: pair.protocol },
        ...{ client_ip: `${prefix}.${client}`, server_ip: `${prefix}.${server}`, client_port: 40_000 + n },
        ...{ server_port: pair.service_port, service_port: pair.service_port, is_client_known: true },
        ...{ client_workload_id: workloads[client], server_workload_id: workloads[server] },
        ...{ client_cidr: `${prefix}.0/24`, server_cidr: `${prefix}.0/24`, bytes: 100, packets: 2 },
        ...{ action: 'allowed', decision: 'observed', is_closed: true, node_ids: [] },
        ...{ first_seen_at: iso(at), last_seen_at: iso(at + 1_000), created_at: iso(at), updated_at: iso(at) },
        ...values,
      } as Row;
    });
  });

async function makeSide(prefix: string): Promise<Ids> {
  const tenant = await makeTenant();
  const project = await makeProject(tenant);
  const headers = await bearer(await makeUser('security_engineer', tenant));
  const workloads: string[] = [];
  const sql = sqlClient();
  const [network, subnet] = [newId(), newId()];
  await sql`insert into networks (id, cluster_id, name, kind, source)
    values (${network}, ${cluster.id}, ${`net ${prefix}`}, 'manual', 'manual')`;
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${subnet}, ${cluster.id}, ${network}, ${`${prefix}.0/24`}, 'manual')`;
  for (const [n, { name }] of planted.workloads.entries()) {
    const { id } = await makeWorkload(cluster, project, { name: `${prefix.split('.')[2]}-${name}` });
    workloads.push(id);
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (${newId()}, ${cluster.id}, ${network}, ${subnet}, ${`${prefix}.${n}`}, ${id}, 'manual')`;
  }
  return { project: project.id, tenant: tenant.id, workloads, headers };
}

async function suggest(scope: object, headers: Headers, more: object = {}): Promise<Suggestion> {
  const asked = await send<Suggestion>('/suggestions', { scope, ...more }, headers);
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  expect(asked.body).toMatchObject({ status: 'running', groups: [], policies: [] });
  await runSuggestion(asked.body.id, { signal });
  const { body } = await send<Suggestion>(`/suggestions/${asked.body.id}`, undefined, headers);
  expect(body).toMatchObject({ status: 'done', error: null });
  return body;
}

beforeAll(async () => {
  await sqlClient()`insert into system_settings (key, value) values ('instance', '{"id":"inst1"}') on conflict do nothing`;
  planted = plantPolicy(1, { workloads: 24, groups: 4, conversations: 1_500 });
  cluster = await makeCluster();
  ours = await makeSide('10.66.1');
  theirs = await makeSide('10.66.2');
  admin = await bearer(await makeUser('admin'));
  viewer = await bearer(await makeUser('viewer'));
  const rows = [
    ...toRows(ours.workloads, '10.66.1'),
    ...toRows(theirs.workloads, '10.66.2'),
    // Both tenants talk: each sees an address of the other.
    ...toRows(ours.workloads, '10.66.1', { server_workload_id: theirs.workloads[0], server_ip: '10.66.2.0' }).slice(
      0,
      5,
    ),
    ...toRows(ours.workloads, '10.66.1', { action: 'dropped', decision: 'drop', service_port: 23 }).slice(0, 3),
  ];
  for (let at = 0; at < rows.length; at += 500) await db.insert(trafficConversations).values(rows.slice(at, at + 500));
}, 120_000);

describe('a suggestion', () => {
  it('finds the planted policy, and names only what its reader sees', async () => {
    const found = await suggest({ project_id: ours.project }, ours.headers);
    expect(found).toMatchObject({
      tenant_id: ours.tenant,
      project_id: null,
      coverage: { training: 1 },
      is_edited: false,
    });
    expect(found.coverage.held_out).toBeGreaterThanOrEqual(0.99);
    const groups = found.groups.map(({ workloads }) =>
      workloads.map(({ id }) => planted.groupOf[ours.workloads.indexOf(id)]),
    );
    expect(groups.map((one) => new Set(one).size)).toEqual(groups.map(() => 1));
    expect(found.left_out_totals).toContainEqual({ reason: 'blocked', conversations: 3 });
    expect(found.policies.flatMap(({ policy }) => policy.definition.targets)).toContain('10.66.2.0');
    const text = JSON.stringify(found);
    for (const id of [...theirs.workloads, theirs.tenant, theirs.project]) expect(text).not.toContain(id);
    expect(text).not.toContain('"2-app');
    expect(found.policies.every(({ policy }) => policy.definition.enforcement_mode === 'audit')).toBe(true);
  });

  it.each(['workload_ids', 'group_id', 'tag', 'network_id'])('takes a scope by %s', async (field) => {
    const [first = '', second = ''] = ours.workloads;
    await sqlClient()`update workloads set tags = array['tier-x'] where id in ${sqlClient()([first, second])}`;
    const [network] = await sqlClient()<{ id: string }[]>`insert into networks (id, cluster_id, name, kind, source)
      values (${newId()}, ${cluster.id}, ${`net-${field}`}, 'manual', 'manual') returning id`;
    await sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (${newId()}, ${cluster.id}, ${network?.id ?? ''}, '10.66.1.0/31', 'manual') on conflict do nothing`;
    const group = await send<{ id: string }>(
      '/security-groups',
      { name: `scope-${field}`, workload_ids: [first, second] },
      ours.headers,
    );
    const values = { workload_ids: [first, second], group_id: group.body.id, tag: 'tier-x', network_id: network?.id };
    const found = await suggest({ [field]: values[field as keyof typeof values] }, ours.headers);
    const inScope = found.groups
      .filter(({ in_scope }) => in_scope)
      .flatMap(({ workloads }) => workloads.map(({ id }) => id));
    expect(inScope.sort()).toEqual([first, second].sort());
  });

  it('returns 404 to users who do not see its scope, and computes nothing for them', async () => {
    const { id } = await suggest({ project_id: ours.project }, ours.headers);
    expect((await send(`/suggestions/${id}`, undefined, theirs.headers)).status).toBe(404);
    expect((await send(`/suggestions/${id}`, { close: false }, theirs.headers, 'PATCH')).status).toBe(404);
    expect((await send(`/suggestions/${id}/change`, {}, theirs.headers)).status).toBe(404);
    expect((await send(`/suggestions/${id}`, undefined, viewer)).status).toBe(403);
    const [first] = ours.workloads;
    const refused = await send('/suggestions', { scope: { workload_ids: [first] } }, theirs.headers);
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([404, 'scope.workload_ids.0']);
    const none = await send('/suggestions', { scope: { project_id: ours.project } }, theirs.headers);
    expect([none.status, none.body.errors?.[0]?.field]).toEqual([422, 'scope']);
  });

  it('belongs to the installation for workloads of several tenants', async () => {
    const scope = { workload_ids: [...ours.workloads, ...theirs.workloads] };
    const found = await suggest(scope, admin);
    expect(found).toMatchObject({ tenant_id: null, coverage: { training: 1 } });
    expect((await send(`/suggestions/${found.id}`, undefined, ours.headers)).status).toBe(404);
  });

  it('has another draft at another position, with the same number of queries', async () => {
    const { id } = await suggest({ project_id: ours.project }, ours.headers);
    const read = (tightness: number) =>
      countQueries(() => send<Suggestion>(`/suggestions/${id}?tightness=${tightness}`, undefined, ours.headers));
    const [broad, tight] = [await read(0), await read(1)];
    expect(tight.result.body.position).toBe(toPosition(8));
    expect(broad.result.body.tightness).toBeLessThan(tight.result.body.tightness ?? 0);
    expect(tight.queries).toBe(broad.queries);
    const stored = await send<Suggestion>(`/suggestions/${id}`, undefined, ours.headers);
    expect(stored.body.position).toBe(stored.body.recommended);
  });
});

describe('choices', () => {
  it('merge, split and name groups, with the scores of the new draft', async () => {
    const { id, groups, tightness } = await suggest({ project_id: ours.project }, ours.headers);
    const given = groups.map(({ workloads }, at) => ({
      name: at === 0 ? 'merged' : null,
      workload_ids: workloads.map((one) => one.id),
    }));
    const [first, second, ...others] = given as [(typeof given)[0], (typeof given)[0], ...typeof given];
    const merged = [{ ...first, workload_ids: [...first.workload_ids, ...second.workload_ids] }, ...others];
    const { status, body } = await send<Suggestion>(`/suggestions/${id}`, { groups: merged }, ours.headers, 'PATCH');
    expect([status, body.is_edited, body.version]).toEqual([200, true, 2]);
    expect(body.groups[0]?.name).toBe('merged');
    expect(body.coverage.training).toBe(1);
    expect(body.tightness).toBeLessThan(tightness ?? 0);
    const back = await send<Suggestion>(`/suggestions/${id}`, { groups: null }, ours.headers, 'PATCH');
    expect(back.body).toMatchObject({ is_edited: false, tightness });
  });

  it('refuse groups that leave a workload out, have it twice, or one of another suggestion', async () => {
    const { id, groups } = await suggest({ project_id: ours.project }, ours.headers);
    const given = groups.map(({ workloads }) => ({
      name: null as string | null,
      workload_ids: workloads.map((one) => one.id),
    }));
    const [first, ...others] = given;
    const update = (list: object[]) => send(`/suggestions/${id}`, { groups: list }, ours.headers, 'PATCH');
    const field = async (list: object[]) => (await update(list)).body.errors?.[0]?.field;
    expect(await field(others)).toBe('groups');
    expect(await field([...given, { name: null, workload_ids: first?.workload_ids ?? [] }])).toMatch(
      /^groups\.\d+\.workload_ids\.0$/,
    );
    expect(await field([...given, { name: null, workload_ids: [theirs.workloads[0]] }])).toMatch(/workload_ids\.0$/);
    expect(await field([...others.map((one) => ({ ...one, name: 'same' })), first ?? {}])).toMatch(/name$/);
    expect((await send(`/suggestions/${id}`, { close: false, version: 7 }, ours.headers, 'PATCH')).status).toBe(409);
  });

  it('write addresses as they were chosen', async () => {
    const { id, policies } = await suggest({ project_id: ours.project }, ours.headers);
    const [key = ''] = policies.find(({ policy }) => policy.definition.targets.includes('10.66.2.0'))?.width_keys ?? [];
    expect(key).toMatch(/^out /);
    const wide = await send<Suggestion>(`/suggestions/${id}`, { widths: { [key]: 'wide' } }, ours.headers, 'PATCH');
    expect(wide.body.policies.flatMap(({ policy }) => policy.definition.targets)).toContain('10.66.2.0/24');
  });
});

describe('a change of a suggestion', () => {
  it('creates its groups and policies in audit mode, tests, and the impact as if they were enforced', async () => {
    const { id, groups, policies } = await suggest({ project_id: theirs.project }, theirs.headers);
    const created = await send<Change>(
      `/suggestions/${id}/change`,
      { title: 'First draft', with_tests: true },
      theirs.headers,
    );
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { items, state, title } = created.body;
    expect([state, title, items.length]).toEqual(['draft', 'First draft', groups.length + policies.length]);
    for (const item of items) {
      if (item.kind === 'policy') expect(item.after.definition.enforcement_mode).toBe('audit');
      expect(item.tenant_id).toBe(theirs.tenant);
    }
    const { body } = await send<Suggestion>(`/suggestions/${id}`, undefined, theirs.headers);
    expect(body.change_id).toBe(created.body.id);
    const impact = await send<{ change_id: string | null }>(`/impacts/${body.impact_id}`, undefined, theirs.headers);
    expect(impact.status).toBe(200);
    const tests = await send<{ items: { expect: string; result: string }[] }>(
      '/policy-tests',
      undefined,
      theirs.headers,
    );
    expect(tests.body.items.length).toBeGreaterThan(0);
    expect(tests.body.items.every((one) => one.expect === 'allow')).toBe(true);
    // Nothing is stored before the change is applied.
    expect((await send<{ total: number }>('/policies', undefined, theirs.headers)).body.total).toBe(0);
  });

  it('returns the same change for the same draft, also after the impact could not be requested', async () => {
    const { id, groups, version } = await suggest({ project_id: theirs.project }, theirs.headers);
    const count = async () => (await send<{ total: number }>('/changes', undefined, theirs.headers)).body.total;
    const before = await count();
    const create = () => send<Change>(`/suggestions/${id}/change`, { with_tests: true }, theirs.headers);
    const request = vi.spyOn(requestImpact, 'requestItemsImpact').mockRejectedValueOnce(new Error('no queue'));
    expect((await create()).status).toBe(500);
    const [again, once_more] = await Promise.all([create(), create()]);
    expect([again.status, once_more.body.id]).toEqual([201, again.body.id]);
    expect(await count()).toBe(before + 1);
    const { body } = await send<Suggestion>(`/suggestions/${id}`, undefined, theirs.headers);
    expect([body.change_id, body.impact_id]).toEqual([again.body.id, expect.any(String)]);
    const calls = request.mock.calls.length;
    expect((await create()).body.id).toBe(again.body.id);
    expect(request).toHaveBeenCalledTimes(calls);
    request.mockRestore();

    // Another draft, and a draft whose change was withdrawn, become another change.
    await send(`/changes/${again.body.id}/withdraw`, {}, theirs.headers);
    const other = await create();
    expect([other.status, other.body.id === again.body.id]).toEqual([201, false]);
    const given = groups.map(({ workloads }, at) => ({
      name: `other ${at}`,
      workload_ids: workloads.map((one) => one.id),
    }));
    await send(`/suggestions/${id}`, { groups: given, version }, theirs.headers, 'PATCH');
    expect((await send<Suggestion>(`/suggestions/${id}`, undefined, theirs.headers)).body.change_id).toBeNull();
  });

  it('resolves every endpoint: compiled as it is, no policy is unresolved', async () => {
    await sqlClient()`delete from impacts where status = 'queued'`;
    const { id } = await suggest({ project_id: theirs.project }, theirs.headers);
    const change = await send<Change>(`/suggestions/${id}/change`, {}, theirs.headers);
    const difference = await send<{ policies?: unknown[] }>(
      `/changes/${change.body.id}/difference`,
      undefined,
      theirs.headers,
    );
    expect(difference.status, JSON.stringify(difference.body)).toBe(200);
    expect(JSON.stringify(difference.body)).not.toContain('unresolved');
  });

  it('returns 409 while the suggestion is computed', async () => {
    const asked = await send<Suggestion>('/suggestions', { scope: { project_id: ours.project } }, ours.headers);
    expect((await send(`/suggestions/${asked.body.id}/change`, {}, ours.headers)).status).toBe(409);
    await runSuggestion(asked.body.id, { signal });
    expect((await send(`/suggestions/${asked.body.id}/change`, {}, ours.headers)).status).toBe(201);
  });
});

describe('requests', () => {
  it.each<[string, object, string]>([
    ['two scopes', { scope: { tag: 'a', project_id: newId() } }, 'scope'],
    ['no scope', { scope: {} }, 'scope'],
    [
      'a window that is too short',
      { scope: { tag: 'tier-x' }, since: new Date(Date.now() - 60_000).toISOString() },
      'since',
    ],
    ['a tightness of more than 1', { scope: { tag: 'tier-x' }, tightness: 2 }, 'tightness'],
  ])('name the field for %s', async (_, body, field) => {
    const { status, body: answer } = await send('/suggestions', body, ours.headers);
    expect([status, answer.errors?.[0]?.field], JSON.stringify(answer)).toEqual([400, field]);
  });

  it('wait while three of the same tenant are computed', async () => {
    const request = (headers: Headers, project: string) =>
      send('/suggestions', { scope: { project_id: project } }, headers);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await request(ours.headers, ours.project)).status);
    expect(statuses).toEqual([202, 202, 202, 422]);
    expect((await request(theirs.headers, theirs.project)).status).toBe(202);
    await sqlClient()`delete from suggestions where status = 'queued'`;
  });
});
