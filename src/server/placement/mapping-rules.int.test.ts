import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { MappingPreview, MappingRule } from '@/domain/mapping-rule';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { findMovedWorkloads } from '@/server/traffic/storage/postgres/traffic-owners';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeCluster, makeProject, makeTenant, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { applyMappingRules } from './place';

type Headers = { authorization: string };
type Project = { id: string; name: string; tenant_id: string };

let root: Headers;
let cluster: { id: string };
let shop: Project;
let office: Project;

beforeEach(async () => {
  await sqlClient()`truncate users, clusters, tenants, rate_limits cascade`;
  root = await bearer(await makeUser('super_admin'));
  cluster = await makeCluster();
  shop = await makeProject(await makeTenant());
  office = await makeProject(await makeTenant());
});

const send = async (method: string, path: string, body?: unknown, headers: Headers = root) => {
  const response = await call(path, { method, body, headers });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
};
const rule = async (body: object): Promise<MappingRule> => {
  const answer = await send('POST', '/mapping-rules', { source: 'pool', value: 'prod', project_id: shop.id, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
};
const preview = async (body: object): Promise<MappingPreview> => {
  const answer = await send('POST', '/mapping-rules/preview', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
type Place = { id: string; project_id: string | null; project_assigned_by: string | null };
const places = async (): Promise<Map<string, Place>> => {
  const rows = await sqlClient()<Place[]>`select id, project_id, project_assigned_by from workloads`;
  return new Map(rows.map((row) => [row.id, row]));
};
const findProjectId = async ({ id }: { id: string }) => (await places()).get(id)?.project_id ?? null;
const guest = (values: object, of: { id: string } = cluster) => makeWorkload(of, null, values);
const apply = async () =>
  (await db.transaction((tx) => applyMappingRules(tx, systemScope('cluster:sync', 'test')))).changed;

describe('a mapping rule', () => {
  it('runs when it is created, changed and deleted, with an audit record each time', async () => {
    const inPool = await guest({ pool: 'prod' });
    const tagged = await guest({ tags: ['a', 'shop'] });
    const other = await guest({ pool: 'production' });
    const one = await rule({});
    expect(one).toMatchObject({ workloads_matched: 1, workloads_assigned: 1, priority: 1000, version: 1 });
    expect([await findProjectId(inPool), await findProjectId(tagged), await findProjectId(other)]).toEqual([
      shop.id,
      null,
      null,
    ]);
    await rule({ source: 'tag', value: 'shop' });
    expect(await findProjectId(tagged)).toBe(shop.id);
    const path = `/mapping-rules/${one.id}`;
    const changed = await send('PATCH', path, { project_id: office.id, version: 1 });
    expect([changed.status, changed.body.version, await findProjectId(inPool)]).toEqual([200, 2, office.id]);
    expect((await send('PATCH', path, { priority: 1, version: 1 })).status).toBe(409);
    expect((await send('PATCH', path, { enabled: false })).body).toMatchObject({ workloads_assigned: 0, version: 3 });
    expect(await findProjectId(inPool)).toBeNull();
    await send('PATCH', path, { enabled: true });
    expect(await findProjectId(inPool)).toBe(office.id);
    expect((await send('DELETE', path)).status).toBe(204);
    expect(await findProjectId(inPool)).toBeNull();
    const actions = (await auditTrail()).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('mapping_rule'))).toEqual([
      'mapping_rule.created',
      'mapping_rule.created',
      'mapping_rule.updated',
      'mapping_rule.updated',
      'mapping_rule.updated',
      'mapping_rule.deleted',
    ]);
  });

  it('does not override a manual assignment, even to no project, until it is left to the rules again', async () => {
    const given = await guest({ pool: 'prod' });
    const taken = await guest({ pool: 'prod' });
    await send('POST', '/workloads/assign', { project_id: office.id, workload_ids: [given.id] });
    await rule({});
    await send('POST', '/workloads/assign', { project_id: null, workload_ids: [taken.id] });
    await apply();
    expect([await findProjectId(given), await findProjectId(taken)]).toEqual([office.id, null]);
    const answer = await send('POST', '/workloads/follow-mapping-rules', { workload_ids: [given.id, taken.id] });
    expect(answer).toEqual({ status: 200, body: { changed: 2 } });
    expect([await findProjectId(given), await findProjectId(taken)]).toEqual([shop.id, shop.id]);
    expect((await send('POST', '/workloads/follow-mapping-rules', { workload_ids: [given.id] })).body.changed).toBe(0);
    // Choosing the project where a rule put it already is a decision too.
    await send('POST', '/workloads/assign', { project_id: shop.id, workload_ids: [given.id] });
    await sqlClient()`update workloads set pool = null`;
    await apply();
    expect([await findProjectId(given), await findProjectId(taken)]).toEqual([shop.id, null]);
  });

  it('wins with the lowest number, then for the cluster, then by age, when several match', async () => {
    const here = await guest({ pool: 'prod', tags: ['x', 'y'] });
    const there = await guest({ pool: 'prod', tags: ['y'] }, await makeCluster());
    await rule({ source: 'tag', value: 'y', project_id: office.id });
    await rule({ value: 'prod' });
    expect([await findProjectId(here), await findProjectId(there)]).toEqual([office.id, office.id]);
    const local = await rule({ value: 'prod', cluster_id: cluster.id });
    expect([await findProjectId(here), await findProjectId(there)]).toEqual([shop.id, office.id]);
    await rule({ source: 'tag', value: 'x', project_id: office.id, priority: 5 });
    expect([await findProjectId(here), await findProjectId(there)]).toEqual([office.id, office.id]);
    const conflicts = await send('GET', `/mapping-rules/conflicts?cluster_id=${cluster.id}`);
    expect(conflicts.body.total).toBe(1);
    const [conflict] = conflicts.body.items;
    expect(conflict.id).toBe(here.id);
    expect(
      conflict.rules.map((one: { value: string; cluster_id: string | null }) => [one.value, one.cluster_id]),
    ).toEqual([
      ['x', null],
      ['prod', cluster.id],
      ['y', null],
      ['prod', null],
    ]);
    expect((await send('GET', `/mapping-rules?q=prod&sort=-priority`)).body.items).toHaveLength(2);
    expect((await send('GET', `/mapping-rules/${local.id}`)).body).toMatchObject({ workloads_matched: 1 });
  });

  it.each([
    [{ value: 'no spaces' }, 400, 'value'],
    [{ source: 'tag', value: 'Upper' }, 400, 'value'],
    [{ project_id: '01890000-0000-7000-8000-000000000000' }, 404, 'project_id'],
    [{ cluster_id: '01890000-0000-7000-8000-000000000000' }, 404, 'cluster_id'],
    [{ priority: -1 }, 400, 'priority'],
    [{}, 409, 'value'],
  ])('returns an error when it is wrong: %o', async (body, status, field) => {
    await rule({});
    const answer = await send('POST', '/mapping-rules', {
      source: 'pool',
      value: 'prod',
      project_id: shop.id,
      ...body,
    });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([status, field]);
  });

  it('cannot become wrong by a change of one half', async () => {
    const one = await rule({ value: 'Prod/web' });
    const answer = await send('PATCH', `/mapping-rules/${one.id}`, { source: 'tag' });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'value']);
  });

  it('keeps its project from being deleted, and goes with its cluster', async () => {
    await rule({ cluster_id: cluster.id });
    const refused = await send('DELETE', `/projects/${shop.id}`);
    expect([refused.status, refused.body.mapping_rules_total]).toEqual([409, 1]);
    expect((await send('DELETE', `/clusters/${cluster.id}`)).status).toBe(204);
    const [record] =
      await sqlClient()`select before from audit_records where action = 'cluster.deleted' order by seq desc`;
    expect(record?.before.mapping_rules).toMatchObject([{ source: 'pool', value: 'prod', project_id: shop.id }]);
    expect((await send('DELETE', `/projects/${shop.id}`)).status).toBe(204);
  });

  it('moves the traffic rollups to the other tenant, as a manual assignment does', async () => {
    const moved = await guest({ pool: 'prod' });
    await rule({});
    const [newest] = await sqlClient()`select max(id) as id from workload_owners where workload_id = ${moved.id}`;
    expect(await findMovedWorkloads(db)).toContainEqual({
      id: moved.id,
      cluster_id: cluster.id,
      tenant_id: shop.tenant_id,
      newest_owner: newest?.id,
    });
  });
});

describe('tenants', () => {
  it('see neither the rules nor, in the audit trail, where else workloads went', async () => {
    const { ours, theirs } = await makeTwoTenants('admin');
    expect((await send('GET', '/mapping-rules', undefined, ours.headers)).status).toBe(403);
    const answer = await send(
      'POST',
      '/workloads/follow-mapping-rules',
      { workload_ids: [ours.workload.id] },
      ours.headers,
    );
    expect(answer.status).toBe(403);
    await sqlClient()`update workloads set pool = 'prod', project_assigned_by = 'rule' where id = ${ours.workload.id}`;
    await rule({ project_id: theirs.project.id });
    const trail = await send('GET', '/audit?action=workload.mapped', undefined, ours.headers);
    expect(trail.body.items).toHaveLength(1);
    expect(JSON.stringify(trail.body)).toContain(ours.project.id);
    expect(JSON.stringify(trail.body)).not.toContain(theirs.project.id);
    expect(JSON.stringify(trail.body)).not.toContain(theirs.project.name);
    const other = await send('GET', '/audit?action=workload.mapped', undefined, theirs.headers);
    expect(JSON.stringify(other.body)).not.toContain(ours.project.id);
  });
});

type Guest = { pool: string | null; tags: string[]; cluster: number; hand: 'shop' | 'none' | null; unread: boolean };
type Drafted = {
  source: 'pool' | 'tag';
  value: string;
  cluster: number | null;
  project: 'shop' | 'office';
  priority: number;
  enabled: boolean;
};

/** Where the rules want a guest, in the plainest words. */
function desired(one: Guest, rules: readonly Drafted[]): 'shop' | 'office' | null {
  if (one.hand) return one.hand === 'shop' ? 'shop' : null;
  const matching = rules.filter(
    ({ enabled, source, value, cluster: only }) =>
      enabled &&
      (only === null || only === one.cluster) &&
      (source === 'pool' ? one.pool === value : one.tags.includes(value)),
  );
  const lowest = Math.min(...matching.map(({ priority }) => priority));
  const best = matching.filter(({ priority }) => priority === lowest);
  return (best.find((each) => each.cluster !== null) ?? best[0])?.project ?? null;
}

describe('any rules over any guests', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const guests = fc.array(
    fc.record({
      pool: fc.option(word),
      tags: fc.uniqueArray(word),
      cluster: fc.nat(1),
      hand: fc.constantFrom('shop' as const, 'none' as const, null, null),
      unread: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const drafts = fc.uniqueArray(
    fc.record({
      source: fc.constantFrom('pool' as const, 'tag' as const),
      value: word,
      cluster: fc.constantFrom(null, 0, 1),
      project: fc.constantFrom('shop' as const, 'office' as const),
      priority: fc.nat(2),
      enabled: fc.boolean(),
    }),
    { maxLength: 6, selector: ({ source, value, cluster: only }) => `${source} ${value} ${only}` },
  );

  it('place each as the oracle does, unread ones in no project; a preview says what happens; a second run writes nothing', async () => {
    const clusters = [cluster, await makeCluster()];
    const body = ({ cluster: only, project, ...rest }: Drafted) => ({
      ...rest,
      cluster_id: only === null ? null : clusters[only]?.id,
      project_id: project === 'shop' ? shop.id : office.id,
    });
    await fc.assert(
      fc.asyncProperty(guests, drafts, fc.nat(5), async (some, rules, unreadSince) => {
        await sqlClient()`delete from mapping_rules`;
        await sqlClient()`delete from workloads`;
        const ids = await Promise.all(
          some.map(async ({ pool, tags, cluster: at, hand }) => {
            const project = hand === 'shop' ? shop : null;
            const values = { pool, tags, project_assigned_by: hand ? ('hand' as const) : null };
            return (await makeWorkload(clusters[at] ?? cluster, project, values)).id;
          }),
        );
        const unread = ids.filter((_, index) => some[index]?.unread);
        for (const [index, drafted] of rules.entries()) {
          if (index === unreadSince) {
            await sqlClient()`update workloads set creation_fingerprint = 'uuid:1' where id = any (${unread})`;
          }
          const before = await places();
          const found = await preview({ rule: body(drafted) });
          await rule(body(drafted));
          const after = await places();
          const moved = ids.filter((id) => before.get(id)?.project_id !== after.get(id)?.project_id);
          expect(found.moves.map(({ workload_id }) => workload_id).sort()).toEqual(moved.sort());
          for (const id of index < unreadSince ? [] : unread) {
            expect([before.get(id)?.project_id, null]).toContain(after.get(id)?.project_id);
          }
          for (const { workload_id, from, to } of found.moves) {
            expect([from?.project_id ?? null, to?.project_id ?? null]).toEqual([
              before.get(workload_id)?.project_id,
              after.get(workload_id)?.project_id,
            ]);
          }
          expect(found.matched).toBeGreaterThanOrEqual(found.kept_by_hand + found.overruled);
        }
        await sqlClient()`update workloads set config_digest = 'read'`;
        await apply();
        const names = new Map([
          [shop.id, 'shop'],
          [office.id, 'office'],
        ]);
        const end = await places();
        expect(ids.map((id) => names.get(end.get(id)?.project_id ?? '') ?? null)).toEqual(
          some.map((one) => desired(one, rules)),
        );
        const writes = () => sqlClient()`select id, xmin from workloads order by id`;
        const before = await writes();
        expect(await apply()).toBe(0);
        expect(await writes()).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  it('run in sequence when they change while workloads are assigned manually', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) ids.push((await guest({ pool: 'prod', tags: i % 2 ? ['odd'] : [] })).id);
    const one = await rule({});
    const work = [
      ...ids
        .slice(0, 10)
        .map((id, i) =>
          send('POST', '/workloads/assign', { project_id: office.id, workload_ids: [id, ids[(i * 7) % 10]] }),
        ),
      ...Array.from({ length: 6 }, (_, i) =>
        send('PATCH', `/mapping-rules/${one.id}`, { priority: i, project_id: i % 2 ? shop.id : office.id }),
      ),
      rule({ source: 'tag', value: 'odd', priority: 3 }),
      send('POST', '/workloads/follow-mapping-rules', { workload_ids: ids.slice(5, 15) }),
      apply(),
      apply(),
    ];
    for (const answer of await Promise.all(work)) {
      if (typeof answer === 'object' && 'status' in answer) expect(answer.status).toBeLessThan(300);
    }
    expect(await apply()).toBe(0);
    const end = await places();
    expect(ids.slice(0, 5).map((id) => end.get(id)?.project_id)).toEqual(Array(5).fill(office.id));
  });
});
