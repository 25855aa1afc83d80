import { desc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { FLOW_GROUPINGS, FLOW_SORTS } from '@/domain/choices';
import { readSession } from '@/server/access/sign-in/read-session';
import { getActor } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { clock } from '@/server/lib/clock';
import { countQueries } from '@/test/count-queries';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { recordExport, recordPageExport } from '../../tenancy/record-export';
import {
  admin,
  ago,
  DATABASE,
  EVERY,
  FLOWS,
  findFlowIndexes,
  fixture,
  groups,
  id,
  type Listed,
  list,
  plantFlows,
  series,
  tail,
} from '../../traffic/flows/testing/planted-flows.fixture';

beforeAll(plantFlows);

describe('GET /flows', () => {
  it('gives the newest first, with names, labels and evidence', async () => {
    const { items, total } = await list();
    expect(total).toBe(FLOWS.length);
    expect(items[0]).toMatchObject({
      source_ip: '203.0.113.7',
      source_label: '203.0.113.7 external',
      source_workload_id: null,
      destination_label: '10.1.0.10 internal (10.1.0.0/16)',
      destination_workload_id: id('web'),
      destination_workload_name: fixture.ours.workload.name,
      node_name: 'n1',
      bytes: 50,
    });
    expect(items.find((item) => item.decision === 'reject')).toMatchObject({ bytes: null, packets: null });
  });

  it.each<[() => string, number[]]>([
    [() => `workload_id=${id('web')}`, [0, 1, 2, 3]],
    [() => `workload_id=${id('stranger')}`, []],
    [() => `source_workload_id=${id('web')}`, [0]],
    [() => `destination_workload_id=${id('web')}`, [1, 2, 3]],
    [() => 'source_workload_id=none', [2, 3, 4, 5]],
    [() => `source_workload_id=none&destination_workload_id=${id('database')}`, [4]],
    [() => `node_id=${id('node')}&cluster_id=${id('cluster')}`, EVERY],
    [() => `node_id=${id('stranger')}`, []],
    [() => 'address=10.1.0.10', [0, 1, 2, 3]],
    [() => 'address=10.1.0.96/29', [5]],
    [() => 'address=::ffff:10.1.0.99', [5]],
    [() => 'source=203.0.113.0/24', [2, 3, 4]],
    [() => 'source=203.0.113.7/24', [2, 3, 4]],
    [() => 'destination=203.0.113.0/24', []],
    [() => 'address=2001:db8::/32', []],
    [() => 'source=external', [2, 3, 4]],
    [() => 'source=internal&destination=internal', [0, 1, 5]],
    [() => 'address=external', [2, 3, 4]],
    [() => 'port=5432', [0, 1]],
    [() => 'port=22&decision=drop', [3]],
    [() => 'port=40000', EVERY.filter((i) => i !== 6)],
    [() => 'port=53,5432', [0, 1, 5]],
    [() => 'port=22-53', [3, 4, 5]],
    [() => 'port=5432%2040000-40010', EVERY.filter((i) => i !== 6)],
    [() => 'protocol=udp', [5]],
    [() => 'protocol=UDP', [5]],
    [() => 'decision=drop,reject', [3, 4]],
    [() => 'decision=drop&decision=reject', [3, 4]],
    [() => 'decision=', EVERY],
    [() => `q=${fixture.ours.workload.name}`, [0, 1, 2, 3]],
    [() => 'q=203.0.113', [2, 3, 4]],
    [() => 'q=udp', [5]],
    [() => 'q=established', EVERY],
    [() => 'q=%25', []],
    [() => `since=${ago(4)}`, [2]],
    [() => `since=${ago(20)}&until=${ago(11)}`, []],
    [() => `since=${ago(9)}&until=${ago(8)}`, EVERY],
    [() => `until=${ago(3)}`, EVERY],
  ])('finds by %s', async (query, expected) => {
    const { items, total } = await list(query());
    expect([findFlowIndexes(items), total]).toEqual([expected, expected.length]);
  });

  it.each([
    ['since=yesterday', 'since'],
    [`since=${ago(1)}&until=${ago(2)}`, 'since'],
    ['since=2999-01-01T00:00:00Z', 'since'],
    ['address=10.0.0', 'address'],
    ['source=everywhere', 'source'],
    ['port=65536', 'port'],
    ['port=80,ssh', 'port'],
    ['port=', 'port'],
    ['decision=maybe', 'decision.0'],
    ['workload_id=web', 'workload_id'],
    ['sort=raw', 'sort'],
    ['limit=501', 'limit'],
    ['colour=red', 'body'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('["x","y"]').toString('base64url')}`, 'cursor'],
  ])('refuses %s, naming the field', async (query, field) => {
    const response = await call(`/flows?${query}`, { headers: admin });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { field: string }[] };
    if (field !== 'body') expect(errors.map((error) => error.field)).toContain(field);
  });

  it.each(FLOW_SORTS.flatMap((sort) => [sort, `-${sort}`]))(
    'pages by %s without gaps and repetitions',
    async (sort) => {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Listed = await list(`limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.items.map((item) => item.id));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual((await list(`sort=${sort}`)).items.map((item) => item.id));
      expect(new Set(seen).size).toBe(FLOWS.length);
    },
  );

  it('takes as many queries for many flows as for one', async () => {
    const { queries } = await countQueries(() => list('limit=1'));
    expect((await countQueries(() => list('limit=100'))).queries).toBe(queries);
    expect((await countQueries(() => list('', fixture.ours.headers))).queries).toBeLessThanOrEqual(queries + 1);
  });

  it('gives all of them as a file', async () => {
    const response = await call('/flows?format=csv', { headers: admin });
    const lines = (await response.text()).trim().split('\r\n');
    expect(lines).toHaveLength(FLOWS.length + 1);
    expect(lines[1]).toContain('203.0.113.7,40000,,,10.1.0.10,443');
  });

  it('leaves a record of each export: of tenants in their own trail, and of those that pages make', async () => {
    const exports = async () =>
      db.select().from(auditRecords).where(eq(auditRecords.action, 'list.exported')).orderBy(desc(auditRecords.seq));
    const before = (await exports()).length;
    await (await call('/flows?format=csv&q=10.1.0.10', { headers: fixture.ours.headers })).text();
    const [own, ...others] = await exports();
    expect(others).toHaveLength(before);
    expect(own).toMatchObject({
      tenant_id: fixture.ours.tenant.id,
      actor_id: fixture.ours.user.id,
      object_name: 'flows',
      after: { format: 'csv', filters: { q: '10.1.0.10' } },
    });
    expect((await call('/flows?format=csv&cursor=x', { headers: admin })).status).toBe(400);
    // Nothing leaves.
    expect((await call('/flows?format=csv', { method: 'HEAD', headers: admin })).status).toBe(200);
    expect(await exports()).toHaveLength(before + 1);
    const session = await readSession(new Request('http://fabric.test/', { headers: admin }), {
      request_id: 'test',
      source_address: null,
    });
    if (!session) throw new Error('no session');
    await recordPageExport(session, { list: 'flows', filters: {} });
    expect((await exports())[0]).toMatchObject({ tenant_id: null, object_name: 'flows', after: { format: 'csv' } });
    const project = await makeProject(fixture.ours.tenant);
    const reach = { tenants: [], projects: [project.id] };
    await recordExport(
      { actor: getActor(session), origin: null, reach },
      { list: 'flows', format: 'csv', filters: {} },
    );
    expect((await exports())[0]).toMatchObject({ tenant_id: fixture.ours.tenant.id, object_name: 'flows' });
    // Actions of a user without any tenant are in the audit trail of the installation.
    const withoutRoles = { ...session, grants: [] };
    await recordPageExport(withoutRoles, { list: 'clusters', filters: {} });
    expect((await exports())[0]).toMatchObject({ tenant_id: null, object_name: 'clusters', after: { format: 'csv' } });
  });
});

describe('what a tenant sees', () => {
  it('includes flows of its workloads; the other end is an address', async () => {
    const { items, total } = await list('', fixture.ours.headers);
    expect([findFlowIndexes(items), total]).toEqual([[0, 1, 2, 3], 4]);
    const toDatabase = items.find((item) => item.destination_ip === DATABASE);
    expect(toDatabase).toMatchObject({
      source_workload_id: id('web'),
      destination_workload_id: null,
      destination_workload_name: null,
      destination_label: '10.1.0.20 internal (10.1.0.0/16)',
    });
    expect(findFlowIndexes((await list('', fixture.theirs.headers)).items)).toEqual([0, 1, 4]);
    expect(JSON.stringify(items)).not.toContain(id('database'));
  });

  it('says until when traffic can be missing while flows move from another store, as conversations do', async () => {
    const readUntil = async () => {
      // It is read again after some seconds.
      asked += 60_000;
      const now = vi.spyOn(clock, 'now').mockReturnValue(new Date(asked));
      const answers = await Promise.all(
        ['/flows', '/conversations'].map((path) => call(path, { headers: admin })),
      ).finally(() => now.mockRestore());
      return Promise.all(answers.map(async (answer) => (await answer.json()).missing_until));
    };
    let asked = Date.now();
    expect(await readUntil()).toEqual([null, null]);
    const client = sqlClient();
    await client`insert into flow_moves (engine, switched_at, planned_at) values ('postgres', now(), now())`;
    await client`insert into flow_move_days (move_id, kind, day, rows, pages) select id, 'flows', '2026-01-02', 1, 1 from flow_moves`;
    expect(await readUntil()).toEqual(['2026-01-03T00:00:00.000Z', '2026-01-03T00:00:00.000Z']);
    await client`delete from flow_move_days`;
    await client`delete from flow_moves`;
    expect(await readUntil()).toEqual([null, null]);
  });

  it('equals what an installation user sees when requesting that tenant; others do not exist', async () => {
    const tenant = `tenant_id=${fixture.ours.tenant.id}`;
    const own = await list('', fixture.ours.headers);
    const asked = await list(tenant);
    expect(asked).toEqual({ ...own, kept_since: expect.any(String) });
    const hours = (Date.now() - Date.parse(asked.kept_since)) / 3_600_000;
    expect([asked.retention_hours, Math.round(hours)]).toEqual([24, 24]);
    expect(findFlowIndexes((await tail(tenant)).items)).toEqual([0, 1, 2, 3]);
    for (const group_by of FLOW_GROUPINGS) {
      expect(await groups(`group_by=${group_by}&${tenant}`)).toMatchObject({
        sums: (await groups(`group_by=${group_by}`, fixture.ours.headers)).sums,
      });
    }
    expect((await series(tenant)).sums).toEqual((await series('', fixture.ours.headers)).sums);
    const foreign = `/flows?tenant_id=${fixture.theirs.tenant.id}`;
    expect((await call(foreign, { headers: fixture.ours.headers })).status).toBe(404);
    expect((await call('/flows?tenant_id=01890000-0000-7000-8000-000000000000', { headers: admin })).status).toBe(404);
  });

  it('holds for filters, totals, series and the live view', async () => {
    const { headers } = fixture.ours;
    expect((await list(`workload_id=${id('database')}&source=external`, headers)).total).toBe(0);
    expect((await list(`q=${fixture.theirs.workload.name}`, headers)).total).toBe(0);
    expect(findFlowIndexes((await list('destination_workload_id=none', headers)).items)).toEqual([0]);
    const bytes = 900 + 9_000 + 50 + 60;
    for (const group_by of FLOW_GROUPINGS) {
      const answer = await groups(`group_by=${group_by}`, headers);
      expect(answer.sums.bytes).toBe(bytes);
      expect(JSON.stringify(answer)).not.toContain(id('database'));
    }
    expect((await series('', headers)).sums.bytes).toBe(bytes);
    expect((await series('address=10.0.0.0/8', headers)).sums.bytes).toBe(bytes);
    expect(findFlowIndexes((await tail('', headers)).items)).toEqual([0, 1, 2, 3]);
    const withoutRoles = await bearer(await makeUser('viewer', await makeTenant()));
    expect([(await list('', withoutRoles)).total, (await series('', withoutRoles)).sums.bytes]).toEqual([0, 0]);
  });
});
