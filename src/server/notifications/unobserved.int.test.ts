import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseIp } from '@/domain/net/ip-address';
import type { Condition } from '@/domain/notifications/condition';
import type { NotificationIncident } from '@/domain/notifications/incident';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues } from '@/server/jobs/queues';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { watchAgents } from '@/server/traffic/agents/agents';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { addressBook } from '@/server/traffic/flows/address-book';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { evaluateRules } from './evaluate-rules';

const sql = sqlClient();
let root: { id: string };
let time: ReturnType<typeof fakeClock>;
let rule: string;

const request = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await call(path, { method, headers: await bearer(root), body });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as T;
};
const addRule = async (...conditions: Condition[]) => {
  const body = { name: newId(), conditions, open_after_minutes: 0, close_after_minutes: 0 };
  rule = (await request<{ id: string }>('POST', '/notification-rules', body)).id;
};
/** States of the incidents of the rule, by condition and object. */
async function incidents(): Promise<string[]> {
  const path = `/notification-incidents?rule_id=${rule}`;
  const { items } = await request<{ items: NotificationIncident[] }>('GET', path);
  return items.map(({ condition, object_kind, status }) => `${condition} ${object_kind} ${status}`).sort();
}
async function evaluateFor(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 20) {
    time.advance(20 * 60);
    await watchAgents();
    await evaluateRules();
  }
}

beforeAll(async () => {
  await queueBackend.prepare();
  root = await makeUser('super_admin');
});
afterAll(() => closeQueues());
beforeEach(async () => {
  await sql`delete from notification_rules`;
  await sql`truncate escaped_conversations, unconfirmed_flows, traffic_flows, traffic_conversations`;
  time = fakeClock();
  return () => time.restore();
});

async function makeSite() {
  const { cluster, ours } = await makeTwoTenants('viewer');
  const node = await makeNode(cluster);
  const agent = await makeAgent(node);
  const network = newId();
  const subnet = newId();
  await sql`insert into networks (id, cluster_id, name, kind, source) values (${network}, ${cluster.id}, 'vmbr0', 'bridge', 'provider')`;
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${subnet}, ${cluster.id}, ${network}, '10.9.0.0/16', 'manual')`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (${newId()}, ${cluster.id}, ${network}, ${subnet}, '10.9.0.1', ${ours.workload.id}, 'manual')`;
  const ip = parseIp('10.9.0.1');
  await expect.poll(async () => ip && (await addressBook()).subnetOf(ip)).toBe('10.9.0.0/16');
  let sequence = 0;
  const boot_id = crypto.randomUUID();
  const report = async (...destinations: string[]) => {
    const at = clock.now().toISOString();
    const flows = destinations.map((destination_ip) =>
      makeFlow({
        ...{ source_ip: '203.0.113.1', destination_ip, destination_port: 3389, initiator: 'source' },
        observed_at: at,
      }),
    );
    const body = makeHeartbeat(flows, { sequence: sequence++, boot_id, sent_at: at });
    const response = await call('/agents/heartbeat', { headers: agent, body });
    expect(await response.json()).toMatchObject({ rejected: [] });
  };
  return { cluster, node, workload: ours.workload, report };
}

async function storeEscape(workload: { id: string }, reason: string | null): Promise<void> {
  await sql`insert into escaped_conversations (id, workload_id, direction, client_ip, client_port, server_ip, server_port, protocol,
      reason, log_accepted, denied_by, filter_hash, start_known, watched_since, first_seen_at, last_seen_at, found_at)
    values (${newId()}, ${workload.id}, 'in', '203.0.113.1', ${reason === null ? 2 : 1}, '10.9.0.1', 22, 'tcp', ${reason}, false, 'Rule 1',
      'hash', true, now(), now(), ${clock.now().toISOString()}, ${clock.now().toISOString()})`;
}

describe('an incident that only an agent can observe', () => {
  type Site = Awaited<ReturnType<typeof makeSite>>;
  it.each([
    ['a report', ({ report }: Site) => report()],
    [
      'its node left the cluster',
      ({ node }: Site) => sql`update nodes set missing_since = now() where id = ${node.id}`,
    ],
  ])(
    'stays open while the agent of its node is stale or not back since its enrollment, and ends after %s',
    async (_what, end) => {
      const site = await makeSite();
      const { cluster, node, workload, report } = site;
      await addRule('suspicious_traffic_critical', 'traffic_escaped', 'agent_reports_refused', 'agent_silent');
      await report('10.9.0.1', '10.9.0.200');
      await storeEscape(workload, 'not_explained');
      await sql`insert into unconfirmed_flows (node_id, cluster_id, vmid, workload_id, state, received_at, observed_at, refused_at, report)
      values (${node.id}, ${cluster.id}, 999, ${newId()}, 'refused', now(), now(), ${clock.now().toISOString()}, '{}')`;
      await evaluateRules();
      const open = [
        'agent_reports_refused agent open',
        'suspicious_traffic_critical address open',
        'suspicious_traffic_critical workload open',
        'traffic_escaped workload open',
      ];
      expect(await incidents()).toEqual(open);
      await evaluateFor(100);
      expect(await incidents()).toEqual([
        'agent_reports_refused agent open',
        'agent_silent agent open',
        ...open.slice(1),
      ]);
      await sql`update node_agents set status = 'pending' where node_id = ${node.id}`;
      await evaluateFor(20);
      expect(await incidents()).toEqual([
        'agent_reports_refused agent open',
        'agent_silent agent open',
        ...open.slice(1),
      ]);
      await end(site);
      await evaluateRules();
      await evaluateRules();
      expect((await incidents()).filter((text) => !text.endsWith('closed'))).toEqual([]);
    },
  );
});

describe('an incident of a state that cannot be read', () => {
  it('stays open while it is not decided whether rules were live', async () => {
    const { workload, report } = await makeSite();
    await addRule('traffic_escaped');
    await storeEscape(workload, 'not_explained');
    await report();
    await evaluateRules();
    time.advance(70 * 60);
    await report();
    await storeEscape(workload, null);
    await evaluateRules();
    expect(await incidents()).toEqual(['traffic_escaped workload open']);
    await sql`delete from escaped_conversations where reason is null`;
    await evaluateRules();
    expect(await incidents()).toEqual(['traffic_escaped workload closed']);
  });

  it('stays open while a failing policy test is unknown', async () => {
    await addRule('policy_test_failing');
    const id = newId();
    await sql`insert into policy_tests (id, name, expect, "from", "to", protocol) values (${id}, 'web', 'deny', '{any}', '{any}', 'tcp')`;
    await sql`insert into policy_test_results (policy_test_id, test_version, result, failing_since, checked_at)
      values (${id}, 1, 'fail', now(), now())`;
    await evaluateRules();
    await sql`update policy_test_results set result = 'unknown', failing_since = null`;
    await evaluateRules();
    expect(await incidents()).toEqual(['policy_test_failing policy_test open']);
    await sql`update policy_test_results set result = 'pass'`;
    await evaluateRules();
    expect(await incidents()).toEqual(['policy_test_failing policy_test closed']);
  });

  it('stays open while what keeps the firewall of a node from compiling was not readable', async () => {
    const { cluster, node } = await makeSite();
    await addRule('node_firewall_not_compiling');
    const failing = {
      since: clock.now().toISOString(),
      failures: [{ reason: 'set_entry_repeated', scope: 'node', set: 's', detail: 'd' }],
    };
    const plain = { options: null, networks: null, rules: null };
    const store = (one: object, unreadable: object[] = []) => {
      const state = {
        firewall_enabled: true,
        groups: {},
        ipsets: {},
        aliases: {},
        nodes: { [node.name]: one },
        unreadable,
      };
      return sql`insert into cluster_firewall_snapshots (cluster_id, read_at, state_hash, state)
        values (${cluster.id}, now(), ${newId()}, ${JSON.stringify(state)}::text::jsonb)
        on conflict (cluster_id) do update set state = excluded.state, state_hash = excluded.state_hash, read_at = excluded.read_at`;
    };
    await store({ ...plain, compile_failure: failing });
    await evaluateRules();
    const note = { code: 'forbidden', message: 'Not readable.' };
    const unread = [
      () => store({ ...plain, compile_unknown: true }),
      () => store(plain, [{ ...note, part: 'node_rules', node: node.name }]),
      () => store(plain, [{ ...note, part: 'ipsets' }]),
    ];
    for (const make of unread) {
      await make();
      await evaluateRules();
      expect(await incidents()).toEqual(['node_firewall_not_compiling node open']);
    }
    await store(plain, [{ ...note, part: 'node_rules', node: 'another' }]);
    await evaluateRules();
    expect(await incidents()).toEqual(['node_firewall_not_compiling node closed']);
  });

  it('stays open while a node does not report which workloads run', async () => {
    await sql`update workloads set status = 'stopped'`;
    const { cluster } = await makeSite();
    const { id } = await makeWorkload(cluster, null, { status: 'running' });
    const shared = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, nodes: {}, unreadable: [] };
    await sql`insert into cluster_firewall_snapshots (cluster_id, read_at, state_hash, state)
      values (${cluster.id}, now(), ${newId()}, ${JSON.stringify(shared)}::text::jsonb)`;
    const nics = [{ name: 'net0', firewall: false, mac: null }];
    const guest = {
      presence: 'present',
      options: {},
      rules: [],
      ipsets: {},
      aliases: {},
      nics,
      pending_nics: [],
      unreadable: [],
    };
    await sql`insert into guest_firewall_snapshots (workload_id, cluster_id, read_at, state_hash, state)
      values (${id}, ${cluster.id}, now(), ${newId()}, ${JSON.stringify(guest)}::text::jsonb)`;
    await sql`update workloads set status = 'stopped' where id <> ${id}`;
    await addRule('coverage_low');
    await evaluateRules();
    expect(await incidents()).toEqual(['coverage_low coverage open']);
    await sql`update workloads set status = 'unknown' where id = ${id}`;
    await evaluateRules();
    expect(await incidents()).toEqual(['coverage_low coverage open']);
    await sql`update workloads set status = 'stopped' where id = ${id}`;
    await evaluateRules();
    expect(await incidents()).toEqual(['coverage_low coverage closed']);
  });
});
