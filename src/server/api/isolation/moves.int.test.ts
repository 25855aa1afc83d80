import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AddressHolder } from '@/domain/ipam/ip-address';
import { BUILT_IN_ROLES, isGranted } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { routes } from '@/server/rest/routes';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { sumTraffic } from '@/server/traffic/flows/upkeep';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { appRouter } from '../root';
import { getFieldKind } from './field-kind.fixture';
import { fill, type Input, listInputs, listSlots, send } from './inputs.fixture';
import { makeTwoFullTenants, type Side, type TwoTenants } from './two-tenants.fixture';

const tables = { routes, router: appRouter };
const ROLE = [
  { role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant', project_id: null },
];
const inputs = listInputs(routes, appRouter).filter(
  ({ access, reads, path }) =>
    reads &&
    path !== '/events' &&
    ('permission' in access ? isGranted(ROLE, access.permission) : 'signedIn' in access || 'person' in access),
);

const sql = sqlClient();
let tenants: TwoTenants;
/** What moves from our tenant to theirs: manually, and by a mapping rule. */
let moved: string[];
let movedAt: string;
let since: number;

const post = async (path: string, headers: Record<string, string>, body: object) => {
  const answer = await call(path, { method: 'POST', headers, body });
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`POST ${path}: ${text}`);
  return JSON.parse(text || 'null');
};

beforeAll(async () => {
  tenants = await makeTwoFullTenants();
  const { ours, theirs, lab } = tenants;
  const byHand = ours.ids.other_workload ?? '';
  const byRule = (await lab.workload(104)).id;
  moved = [byHand, byRule];
  await sql`update workloads set project_id = ${ours.ids.project ?? ''}, project_assigned_by = 'rule', tags = '{goes,ours-tag}',
    name = 'ours-guest-104' where id = ${byRule}`;
  await observeCluster(lab.cluster.id, new AbortController().signal);
  // The clock of the lab runs ahead of the database: what was reported is ten minutes old when they move.
  const then = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 600_000).toISOString();
  await sql`update traffic_flows set created_at = ${then}, first_seen_at = ${then}, observed_at = ${then}, updated_at = ${then}`;
  // An attack from outside on one of them, in place of one on a workload that stays.
  await sql`update traffic_flows set destination_ip = '10.65.0.11', destination_workload_id = ${byHand}, workload_id = null
    where source_ip = '203.0.113.65'`;
  await sql`update flow_rollup_minutes set bucket_at = ${then}`;
  await sql`truncate traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours, traffic_marks`;
  await sql`insert into traffic_marks (cluster_id, bucket_at)
    select ${lab.cluster.id}, date_bin(make_interval(secs => width), ${then}::timestamptz, 'epoch') from unnest('{300,3600}'::int[]) as width`;
  for (const id of moved) {
    await sql`insert into workload_coverage (day, workload_id, flows, by_policy, last_flow_at)
      values (current_date - 1, ${id}, 10, 10, now() - interval '1 day')`;
  }
  const root = await bearer(await makeUser('super_admin'));
  await post('/workloads/assign', root, { project_id: theirs.ids.project, workload_ids: [byHand] });
  await post('/mapping-rules', root, { source: 'tag', value: 'goes', project_id: theirs.ids.project });
  movedAt = new Date().toISOString();
  await sumTraffic();
  // What happens next is in the range of everything that is asked.
  since = Date.now();
  const now = Date.now() + 60_000;
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  await Promise.all([ours.signIn(), theirs.signIn()]);
}, 180_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await tenants.lab.close();
});

const maskVolatile = (text: string) =>
  text
    .replace(/"request_id":"[^"]*"/g, '"request_id"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:[\d.]+)?Z/g, (time) => (Date.parse(time) >= since ? '<now>' : time));

/** Every read as it is, and with what moved at each place where an id may stand. */
async function collectAnswers(side: Side): Promise<Map<string, string>> {
  clearSnapshotCaches();
  const answers = new Map<string, string>();
  const one = async (input: Input, value: unknown, label: string) => {
    const { status, text } = await send(tables, input, value, side.headers);
    answers.set(`${input.name} ${label}`, maskVolatile(`${status} ${text}`));
  };
  for (const input of inputs) {
    const asked = [one(input, fill(input, side.ids), 'as it is')];
    for (const slot of listSlots(input)) {
      if (slot.holds !== 'id' || !getFieldKind(input, slot.path).includes('workload')) continue;
      for (const id of moved) {
        asked.push(one(input, fill(input, side.ids, { slot, value: () => id }), `${slot.path.join('.')} = ${id}`));
      }
    }
    await Promise.all(asked);
  }
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`delete from audit_records where action = 'list.exported'`;
  });
  return answers;
}

function listDifferences(first: Map<string, string>, second: Map<string, string>): string[] {
  return [...first].flatMap(([label, one]) => {
    const two = second.get(label) ?? '';
    if (one === two) return [];
    let at = 0;
    while (at < one.length && one[at] === two[at]) at += 1;
    return [
      `${label}: …${one.slice(Math.max(0, at - 120), at + 120)}\n  against …${two.slice(Math.max(0, at - 120), at + 120)}`,
    ];
  });
}

describe('a workload that moves', () => {
  it('has a page of its time for its former tenant: name, period, deployments; and none of it for the new one', async () => {
    const { ours, theirs } = tenants;
    const read = async (path: string, { headers }: Side) => {
      const answer = await call(path, { headers });
      return { status: answer.status, body: await answer.json() };
    };
    for (const [id, name] of [
      [moved[0], 'ours-guest-103'],
      [moved[1], 'ours-guest-104'],
    ]) {
      const former = await read(`/workloads/${id}/former`, ours);
      const tenant = { tenant_id: ours.ids.tenant, tenant_name: 'ours-tenant' };
      expect(former).toEqual({
        status: 200,
        body: { workload_id: id, name, periods: [{ ...tenant, name, from_at: null, to_at: expect.any(String) }] },
      });
      expect(Math.abs(Date.parse(former.body.periods[0].to_at) - Date.parse(movedAt))).toBeLessThan(30_000);
      expect((await read(`/workloads/${id}`, ours)).status).toBe(404);
      expect((await read(`/workloads/${id}/former`, theirs)).status).toBe(404);
      expect((await read(`/deployments?workload_id=${id}`, theirs)).body.total).toBe(0);
    }
    const { body } = await read(`/deployments?workload_id=${moved[0]}`, ours);
    expect(body.items.map((one: { id: string }) => one.id)).toEqual([ours.ids.deployment]);
  });

  it('held its addresses for each tenant as long as it belonged to it', async () => {
    const { ours, theirs } = tenants;
    const held = async ({ headers }: Side, query: string) => {
      const answer = await call(`/ip-address-holders?within=10.65.0.11&${query}`, { headers });
      expect(answer.status).toBe(200);
      return (await answer.json()).items;
    };
    const at = (time: number) => `since=${new Date(time).toISOString()}&until=${new Date(time).toISOString()}`;
    const [before, after] = [Date.parse(movedAt) - 30_000, Date.parse(movedAt) + 30_000];
    const [former, present] = [await held(ours, ''), await held(theirs, '')];
    expect(former).toMatchObject([{ workload_name: 'ours-guest-103', until_at: expect.any(String) }]);
    expect(AddressHolder.array().parse(former)).toHaveLength(1);
    expect(present).toMatchObject([{ workload_id: moved[0], until_at: null }]);
    expect(Math.abs(Date.parse(former[0].until_at) - Date.parse(movedAt))).toBeLessThan(30_000);
    expect(present[0].from_at).toBe(former[0].until_at);
    expect(await held(ours, at(after))).toEqual([]);
    expect(await held(theirs, at(before))).toEqual([]);
    expect(await held(theirs, at(after))).toHaveLength(1);
  });

  it('tells its former tenant nothing of what the new one does with it', async () => {
    const before = await collectAnswers(tenants.ours);
    const { theirs, lab, node } = tenants;
    await sql`update workloads set name = 'zzb-renamed-' || vmid, tags = '{zzb-tag,goes}', status = 'paused' where id in ${sql(moved)}`;
    const { cluster = '', network = '', subnet = '' } = theirs.ids;
    for (const [i, id] of moved.entries()) {
      await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source, hostname)
        values (${newId()}, ${cluster}, ${network}, ${subnet}, ${`10.66.0.${60 + i}`}, ${id}, 'manual', 'zzb-new-host')`;
    }
    const policy = await post('/policies', theirs.headers, {
      name: 'zzb-after-the-move',
      definition: { enforcement_mode: 'enforced', sources: ['any'], targets: ['tag:zzb-tag'], default_action: 'drop' },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['4711'] }],
    });
    const applied = await post(`/policies/${policy.id}/apply`, theirs.headers, {
      dry_run: false,
      override_tests: { reason: 'zzb-override' },
    });
    for (const { deployment_id } of applied.clusters) {
      await runDeployment(deployment_id, { signal: new AbortController().signal });
      // What it found there is asked for below: rules of the former tenant are still among it.
      theirs.ids.deployment = deployment_id;
    }
    const flows = ['10.66.0.60', '10.65.0.11'].map((source_ip, i) =>
      makeFlow({ source_ip, destination_ip: '10.66.0.10', destination_port: 7_000 + i, bytes: 9_999 }),
    );
    await post('/agents/heartbeat', node, makeHeartbeat(flows, { sequence: 1 }));
    await sumTraffic();
    await observeCluster(lab.cluster.id, new AbortController().signal);
    const found = listDifferences(before, await collectAnswers(tenants.ours));
    expect(found.slice(0, 10), `${found.length} answers differ`).toEqual([]);
    expect(before.size).toBeGreaterThan(130);
  });

  it('tells its new tenant nothing of what the former one did with it', async () => {
    const { ours, theirs } = tenants;
    const marked = `p=${ours.ids.policy} v=`;
    const [left] = await sql<{ n: number }[]>`select count(*)::int as n from deployment_guests
      where deployment_id = ${theirs.ids.deployment ?? ''} and strpos(state_before::text, ${marked}) > 0
        and strpos(state_before::text, 'ours-rule') > 0`;
    expect(left?.n).toBeGreaterThan(0);
    const before = await collectAnswers(tenants.theirs);
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update traffic_flows set bytes = bytes + 777777, destination_port = 12345, source_ip = '10.65.0.77'
        where created_at < ${movedAt} and (source_workload_id in ${tx(moved)} or destination_workload_id in ${tx(moved)})`;
      for (const table of ['flow_rollup_minutes', 'flow_rollup_hours']) {
        await tx`update ${tx(table)} set bytes = bytes + 777777 where bucket_at < ${movedAt}
          and (source_workload_id in ${tx(moved)} or destination_workload_id in ${tx(moved)}) and service_port = 5432`;
      }
      await tx`update workload_coverage set flows = 20, by_policy = 5, by_default = 15, conflicts = 42 where workload_id in ${tx(moved)}`;
      await tx`update policies set name = 'ours-other', description = 'other' where tenant_id = ${ours.ids.tenant ?? ''}`;
      await tx`update residual_rules set policy_name = 'ours-other', workload_name = 'ours-other' where workload_id in ${tx(moved)}`;
      await tx`update deployments set policy_name = 'ours-other' where tenant_id = ${ours.ids.tenant ?? ''}`;
      await tx`update deployment_guests set name = 'ours-other', state_before = null where workload_id in ${tx(moved)}
        and deployment_id in (select id from deployments where tenant_id = ${ours.ids.tenant ?? ''})`;
      const reworded = (
        column: string,
      ) => tx`replace(replace(${tx(column)}::text, 'ours-rule', 'ours-other'), ${marked},
        ${`${marked}8`})::jsonb`;
      await tx`update deployment_guests set state_before = ${reworded('state_before')}
        where deployment_id = ${theirs.ids.deployment ?? ''}`;
      await tx`update guest_firewall_snapshots set state = ${reworded('state')} where workload_id in ${tx(moved)}`;
      await tx`update audit_records set object_name = 'ours-other' where tenant_id = ${ours.ids.tenant ?? ''}`;
      await tx`update security_groups set name = 'ours-other' where tenant_id = ${ours.ids.tenant ?? ''}`;
      await tx`delete from security_group_members where workload_id in ${tx(moved)}
        and security_group_id = ${ours.ids.security_group ?? ''}`;
      await tx`update workload_owners set workload_name = 'ours-other' where workload_id in ${tx(moved)} and to_at is not null`;
    });
    const policy = `/policies/${ours.ids.policy}`;
    expect((await call(policy, { method: 'DELETE', headers: ours.headers })).status).toBeLessThan(300);
    const found = listDifferences(before, await collectAnswers(tenants.theirs));
    expect(found.slice(0, 10), `${found.length} answers differ`).toEqual([]);
  });

  it('leaves its flows with the tenant that had it then, and shows the new one what came after', async () => {
    const read = async (side: Side) => {
      const query = `workload_id=${moved[0]}&since=${new Date(Date.now() - 3_600_000).toISOString()}`;
      const answer = await call(`/flows?${query}`, { headers: side.headers });
      const { items } = (await answer.json()) as {
        items: { destination_port: number; source_workload_name: string }[];
      };
      return items.map(({ destination_port }) => destination_port).sort();
    };
    expect(await read(tenants.ours)).toEqual([12345, 12345]);
    expect(await read(tenants.theirs)).toEqual([7_000, 7_001]);
  });
  it('tells its new tenant since when it holds an address, and not that it did before', async () => {
    const { theirs } = tenants;
    const [held] = await sql<
      { id: string }[]
    >`select id from ip_addresses where workload_id = ${moved[0] ?? ''} and address = '10.65.0.11'`;
    const answer = await call(`/ip-addresses/${held?.id}`, { headers: theirs.headers });
    const { history } = (await answer.json()) as { history: { from_at: string }[] };
    const [owner] = await sql<
      { at: string }[]
    >`select to_char(from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
      from workload_owners where workload_id = ${moved[0] ?? ''} and to_at is null`;
    expect(history.map(({ from_at }) => from_at)).toEqual([owner?.at]);
  });
});
