import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { type IpAddress, parseIp } from '@/domain/net/ip-address';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { collectCriticalTraffic } from '@/server/notifications/facts/traffic-facts';
import { addressBook } from '@/server/traffic/flows/address-book';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { readDashboardSecurity } from './read-dashboard';
import {
  ago,
  DATABASE,
  flow,
  guest,
  type Headers,
  NOW,
  type PlantedDashboard,
  plantDashboard,
  SINCE,
  UNTIL,
  WEB,
  WEB6,
} from './testing/planted-dashboard.fixture';

const sql = sqlClient();
const time = fakeClock(NOW);
let fixture: PlantedDashboard;

const seen = ({ severity, source_ip, destination_ip, port, decision, flows }: SuspiciousTraffic) =>
  `${severity} ${source_ip} ${destination_ip} ${port} ${decision} ${flows}`;
const suspicious = async (query = '', headers: Headers = fixture.admin) =>
  (await fixture.read(query, headers)).suspicious_traffic.map(seen).sort();

const OF_WEB = [
  `critical 198.51.100.7 ${WEB} 445 observed 1`,
  `high 198.51.100.10 ${WEB} 22 observed 2`,
  `high 2001:db8:ffff::1 ${WEB6} 5901 observed 1`,
  `high 203.0.113.200 ${WEB} 22 observed 1`,
  `medium 198.51.100.7 ${WEB} 3306 audit_drop 1`,
];
const OF_DATABASE = [
  `high 198.51.100.8 ${DATABASE} 22 accept 1`,
  `low 198.51.100.8 ${DATABASE} 5432 default_drop 1`,
  `low 198.51.100.9 ${DATABASE} 3389 drop 2`,
];
const UNOWNED = ['critical 198.51.100.7 10.1.0.99 6379 observed 1'];
const ALL = [...OF_WEB, ...OF_DATABASE, ...UNOWNED].sort();

/** What a user sees whose role shows the flows of one tenant, and policies and workloads of the whole installation. */
async function readAsSupport(tenantId: string) {
  const scopes = {
    flow: systemScope('flow:read', 'test', [tenantId]),
    workload: systemScope('workload:read', 'test'),
    policy: systemScope('policy:read', 'test'),
  };
  const none = { ipam: null, cluster: null, agent: null };
  const input = { since: SINCE, until: UNTIL, suspicious_limit: undefined };
  return (await readDashboardSecurity({ ...scopes, ...none }, input)).suspicious_traffic;
}

async function assignDatabaseAddress(workloadId: string): Promise<void> {
  await sql`update ip_addresses set workload_id = ${workloadId} where host(address) = ${DATABASE}`;
  // An end once resolved stays: nothing is reported before the service has noticed the change.
  const findOwners = async () =>
    (await addressBook()).endOf(fixture.cluster.id, parseIp(DATABASE) as IpAddress).workload_ids;
  await expect.poll(findOwners).toEqual([workloadId]);
}

beforeAll(async () => {
  fixture = await plantDashboard();
});
afterAll(() => time.restore());

describe('suspicious traffic', () => {
  it('contains exactly the connections from outside to sensitive ports, with their actions', async () => {
    expect(await suspicious()).toEqual(ALL);
  });

  it('says what was observed of each, what the rules say, and what audited policies would do', async () => {
    const found = (entries: readonly SuspiciousTraffic[]) =>
      Object.fromEntries(
        entries.map(({ source_ip, port, action, rules_say, audit_say, differs }) => [
          `${source_ip} ${port}`,
          [action, rules_say?.action, rules_say?.kind, ...audit_say.map((say) => say.action), differs],
        ]),
      );
    const unfiltered = ['allowed', 'allowed', 'not_enforced', false];
    const web = {
      '198.51.100.7 445': unfiltered,
      '198.51.100.7 3306': ['allowed', 'allowed', 'not_enforced', 'dropped', false],
      '198.51.100.10 22': unfiltered,
      '203.0.113.200 22': unfiltered,
      '2001:db8:ffff::1 5901': unfiltered,
    };
    const database = {
      '198.51.100.8 22': ['allowed', 'allowed', 'rule', false],
      '198.51.100.8 5432': ['unknown', 'dropped', 'default', false],
      '198.51.100.9 3389': ['dropped', 'dropped', 'default', false],
    };
    const others = { '198.51.100.7 6379': ['allowed', undefined, undefined, false] };
    expect(found((await fixture.read()).suspicious_traffic)).toEqual({ ...web, ...database, ...others });
    expect(found((await fixture.read('', fixture.ours.headers)).suspicious_traffic)).toEqual(web);
  });

  it('counts what two nodes saw once, with the larger counters and both times', async () => {
    const { suspicious_traffic } = await fixture.read();
    expect(suspicious_traffic.find(({ port }) => port === 445)).toMatchObject({
      severity: 'critical',
      service: 'smb',
      flows: 1,
      bytes: 300,
      first_seen_at: ago(30),
      last_seen_at: ago(10),
      source_label: '198.51.100.7 external',
      destination_label: `${WEB} internal (10.1.0.0/16)`,
      destination_workload_id: fixture.ours.workload.id,
      destination_workload_name: fixture.ours.workload.name,
    });
  });

  it('comes the worst first, and is counted whole whatever the limit', async () => {
    const all = await fixture.read();
    const order = all.suspicious_traffic.map(({ severity }) => severity);
    expect(order).toEqual(
      [...order].sort(
        (a, b) => ['critical', 'high', 'medium', 'low'].indexOf(a) - ['critical', 'high', 'medium', 'low'].indexOf(b),
      ),
    );
    expect(all.suspicious_summary).toEqual({ total: 9, critical: 2, high: 4, medium: 1, low: 2 });
    const two = await fixture.read('&suspicious_limit=2');
    expect(two.suspicious_traffic).toEqual(all.suspicious_traffic.slice(0, 2));
    expect(two.suspicious_summary).toEqual(all.suspicious_summary);
  });

  it('covers the requested range', async () => {
    const response = await call('/dashboard', { headers: fixture.admin });
    const { suspicious_traffic, since, until, suspicious_since } = (await response.json()) as Dashboard;
    expect({ since, until, suspicious_since }).toEqual({
      since: SINCE,
      until: NOW.toISOString(),
      suspicious_since: SINCE,
    });
    expect(suspicious_traffic.map(({ source_ip }) => source_ip)).toContain('198.51.100.12');
    const day = await call(`/dashboard?since=${ago(60 * 30)}`, { headers: fixture.admin });
    expect(await day.json()).toMatchObject({ suspicious_since: ago(60 * 24) });
  });

  it('shows a tenant its own, and narrows to a tenant', async () => {
    expect(await suspicious('', fixture.ours.headers)).toEqual(OF_WEB);
    expect(await suspicious('', fixture.theirs.headers)).toEqual(OF_DATABASE);
    expect(await suspicious(`&tenant_id=${fixture.ours.tenant.id}`)).toEqual(OF_WEB);
    expect(await suspicious(`&tenant_id=${fixture.theirs.tenant.id}`)).toEqual(OF_DATABASE);
  });

  it('goes by the subnets of today', async () => {
    await fixture.subnet('203.0.113.128/25');
    await sql`delete from subnets where id = ${fixture.subnets.gone}`;
    await expect
      .poll(() => suspicious())
      .toEqual(
        [...ALL.filter((entry) => !entry.includes('203.0.113.200')), `high 198.18.0.1 ${WEB} 22 observed 1`].sort(),
      );
  });

  it('stays with who had the address when it was reassigned', async () => {
    await assignDatabaseAddress(fixture.ours.workload.id);
    await fixture.report(1, [flow('198.51.100.8', DATABASE, 22, { source_port: 7 })]);
    const listOfDatabase = async () =>
      (await fixture.read()).suspicious_traffic.filter((e) => e.destination_ip === DATABASE && e.port === 22);
    const [ours, theirs] = [fixture.ours.workload.id, fixture.theirs.workload.id];
    await expect
      .poll(listOfDatabase)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ destination_workload_id: theirs, decision: 'accept', flows: 1 }),
          expect.objectContaining({ destination_workload_id: ours, decision: 'observed', flows: 1 }),
        ]),
      );
  });

  it('says where something else was observed than the rules say', async () => {
    await fixture.report(1, [flow('198.51.100.20', WEB, 6379, { decision: 'drop', state: null })]);
    const { suspicious_traffic } = await fixture.read();
    expect(suspicious_traffic.find(({ source_ip }) => source_ip === '198.51.100.20')).toMatchObject({
      ...{ action: 'dropped', rules_say: { action: 'allowed', kind: 'not_enforced' }, differs: true },
    });
  });

  it('names no subnet to a tenant that only another one sees', async () => {
    const { ours, theirs, cluster, network } = fixture;
    const subnet = await fixture.subnet('10.88.0.0/24');
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network}, ${subnet}, '10.88.0.20', ${theirs.workload.id}, 'manual')`;
    const findSubnet = async () => (await addressBook()).subnetOf(parseIp('10.88.0.20') as IpAddress);
    await expect.poll(findSubnet).toBe('10.88.0.0/24');
    await fixture.report(0, [flow('198.51.100.50', '10.88.0.20', 22, { vmid: ours.workload.vmid })]);
    const findLabel = (entries: readonly SuspiciousTraffic[]) =>
      entries.find(({ source_ip }) => source_ip === '198.51.100.50')?.destination_label;
    const findLabelFor = async (headers?: Headers) => findLabel((await fixture.read('', headers)).suspicious_traffic);
    await expect.poll(() => findLabelFor()).toBe('10.88.0.20 internal (10.88.0.0/24)');
    const flows = await (await call('/flows?address=10.88.0.20', { headers: ours.headers })).json();
    expect(flows.items).toMatchObject([{ destination_label: '10.88.0.20 internal', destination_workload_id: null }]);
    expect(await findLabelFor(ours.headers)).toBe('10.88.0.20 internal');
    expect(findLabel(await readAsSupport(ours.tenant.id))).toBe('10.88.0.20 internal');
    expect(await findLabelFor()).toBe('10.88.0.20 internal (10.88.0.0/24)');
  });

  it('shows the former tenant of a workload its traffic of then, whatever the new one does with it', async () => {
    const { ours, theirs } = fixture;
    const { id, name } = theirs.workload;
    const body = { project_id: ours.project.id, workload_ids: [id] };
    const headers = await bearer(await makeUser('super_admin'));
    await assignDatabaseAddress(id);
    await fixture.report(1, [
      flow('198.51.100.60', DATABASE, 5432, { state: 'SYN_SENT', observed_at: ago(5) }),
      flow('198.51.100.60', DATABASE, 22, { source_port: 9, state: 'SYN_SENT', observed_at: ago(5) }),
      flow('198.51.100.60', DATABASE, 3389, { source_port: 8, state: 'SYN_SENT', observed_at: ago(5) }),
      flow('198.51.100.60', DATABASE, 3389, { source_port: 9, state: 'ESTABLISHED', observed_at: ago(5) }),
    ]);
    const before = await fixture.read('', theirs.headers);
    expect(before.suspicious_traffic.map(seen)).toEqual(expect.arrayContaining([...OF_DATABASE]));
    expect((await collectCriticalTraffic([theirs.tenant.id])).facts).toEqual([]);
    expect((await call('/workloads/assign', { headers, body })).status).toBe(200);
    expect((await collectCriticalTraffic([theirs.tenant.id])).facts).toEqual([]);
    const findDecision = async () =>
      (await fixture.read()).suspicious_traffic.find(
        ({ destination_workload_id: of, port }) => of === id && port === 5432,
      )?.decision;
    const readAll = async () => [
      (await fixture.read('', theirs.headers)).suspicious_traffic,
      await readAsSupport(theirs.tenant.id),
    ];
    const atMove = await readAll();
    await sql`update workloads set name = 'renamed-since' where id = ${id}`;
    const rules = [{ pos: 0, type: 'in', action: 'DROP', proto: 'tcp', dport: '22', enable: 1 }];
    const state = guest({ options: { enable: 1, policy_in: 'ACCEPT' }, rules });
    await storeGuestSnapshots(db, [{ workload_id: id, read_at: NOW.toISOString(), state_hash: 'new', state }]);
    await expect.poll(findDecision).toBe('default_accept');
    const after = await readAll();
    expect(after).toEqual(atMove);
    for (const entries of after) {
      const own = entries.filter((e) => e.destination_workload_id === id && e.destination_ip === DATABASE);
      expect(own.map(({ destination_workload_name }) => destination_workload_name)).toEqual(own.map(() => name));
      // Whether packets without an answer passed is not known any more: that makes no scan severe.
      expect(own.map(seen).sort()).toEqual([
        `critical 198.51.100.60 ${DATABASE} 3389 observed 1`,
        `high 198.51.100.8 ${DATABASE} 22 observed 1`,
        `low 198.51.100.9 ${DATABASE} 3389 drop 2`,
        `medium 198.51.100.60 ${DATABASE} 22 observed 1`,
        `medium 198.51.100.60 ${DATABASE} 3389 observed 1`,
        `medium 198.51.100.60 ${DATABASE} 5432 observed 1`,
        `medium 198.51.100.8 ${DATABASE} 5432 observed 1`,
      ]);
      expect(own.filter(({ rules_say }) => rules_say !== null)).toEqual([]);
    }
  });

  it('does not become severe when the workload is removed', async () => {
    const { id } = fixture.theirs.workload;
    await sql`delete from workloads where id = ${id}`;
    const listGone = async () =>
      (await fixture.read()).suspicious_traffic
        .filter((e) => e.source_ip === '198.51.100.60' && e.destination_workload_id === null)
        .map(seen);
    await expect
      .poll(async () => (await listGone()).sort())
      .toEqual([
        `critical 198.51.100.60 ${DATABASE} 3389 observed 1`,
        `medium 198.51.100.60 ${DATABASE} 22 observed 1`,
        `medium 198.51.100.60 ${DATABASE} 3389 observed 1`,
        `medium 198.51.100.60 ${DATABASE} 5432 observed 1`,
      ]);
  });
});
