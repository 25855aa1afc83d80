import type { Flow } from '@fabric/agent-contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { EscapedConversation, EscapedPage, EscapeReason } from '@/domain/enforcement-chain/escaped';
import type { WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import { clock } from '@/server/lib/clock';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { collectFindings } from '../../notifications/facts/collect-findings';
import { makeFlow } from '../../traffic/agents/testing/heartbeat.fixture';
import { makeDiagnostics, ReportingAgent } from '../../traffic/agents/testing/reporting-agent.fixture';
import { freshAddressBook } from '../../traffic/flows/address-book';
import { countCoverage } from '../coverage/count-coverage';
import { clearSnapshotCaches } from '../guest-firewall/live-reader';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const GUEST = 104;
const SERVER = '10.60.10.12';
const CALLER = '10.9.0.7';
const STRANGER = '192.0.2.50';
const PEER = 103;
const PEER_IP = '10.60.10.11';
let lab: PolicyLab;
let agent: ReportingAgent;
let admin: Awaited<ReturnType<typeof makeUser>>;
let workloadId: string;
let rulesLiveAt: number;

/** What was planted, by the port of the client, and what must come of it; null: nothing. */
type Planted = { name: string; flows: Flow[]; expected: EscapeReason | null };

const iso = (time: number) => new Date(time).toISOString();
type Values = Partial<Flow> & { began?: number };
const flow = ({ began = clock.now().getTime(), ...values }: Values): Flow =>
  makeFlow({
    source_ip: CALLER,
    destination_ip: SERVER,
    source_port: 50_000,
    destination_port: 8443,
    decision: 'observed',
    state: 'ESTABLISHED',
    initiator: 'source',
    first_seen_at: iso(began),
    observed_at: iso(clock.now().getTime()),
    vmid: GUEST,
    nic: 0,
    ...values,
  });
const reply = (asked: Flow): Flow => ({
  ...asked,
  source_ip: asked.destination_ip,
  destination_ip: asked.source_ip,
  source_port: asked.destination_port,
  destination_port: asked.source_port,
  initiator: 'destination',
});

const report = (flows: Flow[], bridge = `fwbr${GUEST}i0`) =>
  agent.send(
    agent.make(
      {},
      {
        firewall_status: {
          implementation: 'iptables',
          service_running: true,
          cluster_enabled: true,
          rules_loaded: true,
          guest_chains: 2,
        },
        flow_diagnostics: { ...makeDiagnostics(), bridge_nf_call_iptables: true, bridge_nf_call_ip6tables: true },
        enforcement: {
          version: 1,
          ruleset_hash: 'rules',
          interfaces: [{ interface: `tap${GUEST}i0`, vmid: GUEST, nic: 0, present: true, bridge, chains: true }],
        },
      },
      flows,
    ),
  );
/** Counts what was reported, and decides it once the cluster has been read again. */
async function evaluate(): Promise<void> {
  lab.ahead(31_000);
  await countCoverage();
  clearSnapshotCaches();
  await lab.observe();
  lab.ahead(31_000);
  await countCoverage();
}
const json = async <T>(path: string): Promise<T> => {
  const response = await call(path, { headers: await bearer(admin) });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as T;
};
const list = async (query = ''): Promise<EscapedConversation[]> =>
  (await json<EscapedPage>(`/escaped-conversations?${query}`)).items;
/** Those of clients with these ports: earlier conversations continue. */
const listFrom = async (...ports: number[]) =>
  (await list('limit=100')).filter(({ client_port }) => client_port !== null && ports.includes(client_port));

beforeAll(async () => {
  lab = await makePolicyLab();
  admin = await makeUser('admin');
  const { sql, cluster } = lab;
  workloadId = await lab.id(GUEST);
  const [network] = await sql`select id from networks where cluster_id = ${cluster.id} and name = 'apps'`;
  const [subnet] = await sql`select id from subnets where network_id = ${network?.id} and cidr = '10.60.10.0/24'`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${SERVER}, ${workloadId}, 'manual')`;
  await freshAddressBook();
  const policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: [`vmid:${GUEST}`],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  await lab.apply(policy);
  await lab.observe();
  const [row] = await sql<{ node_id: string }[]>`select node_id from workloads where id = ${workloadId}`;
  agent = await ReportingAgent.enroll({ id: row?.node_id ?? '' });
  lab.ahead(60_000);
  rulesLiveAt = clock.now().getTime();
  await report([]);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

describe('escaped traffic', () => {
  let planted: Planted[];
  beforeAll(async () => {
    lab.ahead(30_000);
    const old = rulesLiveAt - 10 * 60_000;
    const ask = (source_port: number, values: Values = {}) => flow({ source_port, ...values });
    const plan = (name: string, expected: EscapeReason | null, ...flows: Flow[]) => ({ name, expected, flows });
    planted = [
      plan('denied and answered', 'not_explained', ask(50_001)),
      plan(
        'denied, with its reply',
        'not_explained',
        ask(50_002, { state: null }),
        reply(ask(50_002, { state: null })),
      ),
      plan('denied, accepted by the log', 'log_disagrees', ask(50_003, { decision: 'accept', state: null })),
      plan('denied, older than the rules', 'older_connection', ask(50_004, { began: old })),
      plan(
        'denied before and after translation',
        'not_explained',
        ask(50_005, { raw: { translated_source: `${STRANGER}:6000` } }),
      ),
      plan('from outside of the sources', 'not_explained', ask(50_006, { source_ip: STRANGER, destination_port: 22 })),
      plan('denied, not answered', null, ask(50_011, { state: 'SYN_SENT' })),
      plan('denied, packets only seen', null, ask(50_012, { state: null })),
      plan('denied, dropped by the log', null, ask(50_013, { decision: 'drop', state: null })),
      plan('allowed', null, ask(50_014, { destination_port: 22 })),
      plan(
        'allowed, with its reply',
        null,
        ask(50_015, { destination_port: 22 }),
        reply(ask(50_015, { destination_port: 22 })),
      ),
      plan(
        'opened by the workload',
        null,
        flow({ source_ip: SERVER, source_port: 50_016, destination_ip: STRANGER, destination_port: 443 }),
      ),
      plan(
        'reply to the workload only',
        null,
        reply(flow({ source_ip: SERVER, source_port: 50_017, destination_ip: STRANGER, destination_port: 443 })),
      ),
      plan(
        'allowed before translation',
        null,
        ask(50_018, { source_ip: STRANGER, destination_port: 22, raw: { translated_source: `${CALLER}:6001` } }),
      ),
      plan('allowed after translation', null, ask(50_019, { raw: { translated_destination: `${SERVER}:22` } })),
      plan('over before the rules were live', null, ask(50_020, { began: old, observed_at: iso(old + 60_000) })),
    ];
    await report(planted.flatMap(({ flows }) => flows));
    await evaluate();
  }, 60_000);

  it('finds each conversation that was planted and no other, with its reason', async () => {
    const found = new Map((await list('limit=100')).map((one) => [one.client_port, one.reason]));
    const result = planted.map(({ name, flows: [first] }) => {
      const key = first?.source_port ?? null;
      const reason = found.get(key) ?? null;
      found.delete(key);
      return [name, reason];
    });
    expect(result).toEqual(planted.map(({ name, expected }) => [name, expected]));
    expect([...found]).toEqual([]);
  });

  it('lists what denies a conversation', async () => {
    const [first] = (await list(`workload_id=${workloadId}&reason=log_disagrees`)) as [EscapedConversation];
    expect(first).toMatchObject({
      workload_id: workloadId,
      vmid: GUEST,
      nic: 'net0',
      direction: 'in',
      client_ip: CALLER,
      server_ip: SERVER,
      server_port: 8443,
      protocol: 'tcp',
      denied_by: 'Default policy DROP',
      policy: null,
      service_name: null,
      peer: { ip: CALLER, workload: null },
      broken_link: null,
      remedy: { action: 'compare_rules' },
    });
  });

  it('filters by reasons, place and time', async () => {
    const totals = async (...queries: string[]) =>
      Promise.all(queries.map(async (query) => (await json<EscapedPage>(`/escaped-conversations?${query}`)).total));
    const all = planted.filter(({ expected }) => expected !== null).length;
    const { id: project } = await makeProject(await makeTenant());
    expect(
      await totals('', 'reason=log_disagrees,older_connection', 'broken_link=nic_flag', `cluster_id=${lab.cluster.id}`),
    ).toEqual([all, 2, 0, all]);
    expect(await totals(`cluster_id=${project}`, `project_id=${project}`, 'q=50003', 'days=1')).toEqual([0, 0, 1, all]);
    await lab.sql`update escaped_conversations set last_seen_at = last_seen_at - interval '2 days' where client_port = 50003`;
    expect(await totals('days=1', 'days=2', 'days=3')).toEqual([all - 1, all - 1, all]);
    await lab.sql`update escaped_conversations set last_seen_at = last_seen_at + interval '2 days' where client_port = 50003`;
    const wrong = await call('/escaped-conversations?days=8', { headers: await bearer(admin) });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { errors: [{ field: 'days' }] }]);
  });

  it('appears on the dashboard and in notifications, without older connections', async () => {
    const { escaped } = await json<Dashboard>('/dashboard');
    const planned = planted.filter(({ expected }) => expected !== null && expected !== 'older_connection').length;
    expect(escaped).toMatchObject({
      conversations: planned,
      workloads: 1,
      older_connections: 1,
      most: [{ workload_id: workloadId, conversations: planned, reason: 'not_explained', broken_link: null }],
    });
    const { facts } = await collectFindings('all', ['traffic_escaped']);
    expect(facts).toMatchObject([
      { key: workloadId, object_kind: 'workload', detail: expect.stringContaining('deny') },
    ]);
  });

  it('breaks the chain by open connections that are older than the rules', async () => {
    const chain = await json<WorkloadChain>(`/workloads/${workloadId}/enforcement`);
    expect(chain.interfaces[0]).toMatchObject({ older_connections: 1 });
    expect(chain.interfaces[0]?.links.find(({ link }) => link === 'open_connections')?.code).toBe('connections_open');
  });

  it('hides conversations from other tenants, and from a tenant that the workload came to later', async () => {
    const [ours, theirs] = [await makeTenant(), await makeTenant()];
    const project = await makeProject(ours);
    const body = { project_id: project.id, workload_ids: [workloadId] };
    await call('/workloads/assign', { method: 'POST', headers: await bearer(admin), body });
    for (const tenant of [ours, theirs]) {
      const headers = await bearer(await makeUser('viewer', tenant));
      const response = await call('/escaped-conversations', { headers });
      expect(await response.json()).toMatchObject({ items: [], total: 0 });
    }
    await lab.sql`update escaped_conversations set project_id = ${project.id}`;
    const own = await call('/escaped-conversations', { headers: await bearer(await makeUser('viewer', ours)) });
    expect(((await own.json()) as EscapedPage).total).toBeGreaterThan(0);
    await lab.sql`update workloads set project_id = null where id = ${workloadId}`;
  });
});

it('names the broken link, and what rules would deny where a switch is off', async () => {
  lab.ahead(30_000);
  await report([flow({ source_port: 51_001 })], 'vmbr0');
  await evaluate();
  expect(await listFrom(51_001)).toMatchObject([
    {
      client_port: 51_001,
      reason: 'broken_link',
      broken_link: 'firewall_bridge',
      remedy: { action: 'restart_workload' },
    },
  ]);
  const file = lab.control.firewall.guestFile(GUEST) ?? '';
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, file.replace('enable: 1', 'enable: 0'));
  clearSnapshotCaches();
  await lab.observe();
  lab.ahead(60_000);
  await report([flow({ source_port: 51_002 }), flow({ source_port: 51_003, destination_port: 22 })]);
  await evaluate();
  expect(await listFrom(51_002, 51_003)).toMatchObject([
    { client_port: 51_002, reason: 'broken_link', broken_link: 'guest_firewall', remedy: { action: 'apply_policies' } },
  ]);
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, file);
});

it('decides nothing while it is not known which rules were live', async () => {
  clearSnapshotCaches();
  await lab.observe();
  lab.ahead(60_000);
  await report([flow({ source_port: 52_001 })]);
  lab.ahead(31_000);
  await countCoverage();
  expect(await listFrom(52_001)).toEqual([]);
  const file = lab.control.firewall.guestFile(GUEST) ?? '';
  lab.control.firewall.setFile(
    `firewall/${GUEST}.fw`,
    file.replace('[RULES]\n', '[RULES]\n\nIN ACCEPT -p tcp -dport 8443 -log nolog\n'),
  );
  clearSnapshotCaches();
  await lab.observe();
  lab.ahead(31_000);
  await countCoverage();
  expect(await lab.sql`select id from escaped_conversations where client_port = 52001`).toHaveLength(0);
});

it('names the policy whose rule denies, and the peer that the reader may see', async () => {
  const peerId = await lab.id(PEER);
  const policy = await lab.create({
    name: 'No admin access',
    tenant_visibility: 'hidden',
    definition: { enforcement_mode: 'enforced', sources: [`${PEER_IP}/32`], targets: [`vmid:${GUEST}`] },
    rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['9443'] }],
  });
  await lab.apply(policy);
  clearSnapshotCaches();
  await lab.observe();
  lab.ahead(60_000);
  await report([flow({ source_port: 53_001, source_ip: PEER_IP, destination_port: 9443 })]);
  await evaluate();
  await lab.sql`update escaped_conversations set peer_workload_id = ${peerId} where client_port = 53001`;
  expect(await listFrom(53_001)).toMatchObject([
    {
      denied_by: expect.stringMatching(/^Position \d+$/),
      policy: { id: policy.id, name: 'No admin access' },
      peer: { ip: PEER_IP, workload: { id: peerId } },
    },
  ]);
  // The workload is one tenant's, its peer another's, and the policy belongs to the installation.
  const [ours, theirs] = [await makeTenant(), await makeTenant()];
  const project = await makeProject(ours);
  const body = (id: string, to: { id: string }) => ({ project_id: to.id, workload_ids: [id] });
  const headers = await bearer(admin);
  await call('/workloads/assign', { method: 'POST', headers, body: body(workloadId, project) });
  await call('/workloads/assign', { method: 'POST', headers, body: body(peerId, await makeProject(theirs)) });
  await lab.sql`update escaped_conversations set project_id = ${project.id} where client_port = 53001`;
  const own = await call('/escaped-conversations?q=53001', { headers: await bearer(await makeUser('viewer', ours)) });
  expect(await own.json()).toMatchObject({
    total: 1,
    items: [{ policy: null, peer: { ip: PEER_IP, workload: null } }],
  });
  await lab.sql`update workloads set project_id = null where id in (${workloadId}, ${peerId})`;
});

describe('a workload whose firewall is off', () => {
  const OFF = 201;
  const OFF_IP = '10.20.22.54';
  const enforced = { enforcement_mode: 'enforced', sources: [`${CALLER}/32`], targets: [`vmid:${OFF}`] };
  const read = () => lab.control.firewall.guestFile(OFF) ?? '';
  const write = async (file: string) => {
    lab.control.firewall.setFile(`firewall/${OFF}.fw`, file);
    clearSnapshotCaches();
    await lab.observe();
    lab.ahead(60_000);
  };
  /** What is found of conversations on a port that a policy accepts, one that it drops, another one, and the second translated to the third. */
  const findOn = async (source_port: number) => {
    const asked: Partial<Flow>[] = [
      { destination_port: 22 },
      { destination_port: 9443 },
      { destination_port: 8443 },
      { destination_port: 9443, raw: { translated_destination: `${OFF_IP}:8443` } },
    ];
    const values = { vmid: OFF, destination_ip: OFF_IP };
    await report(asked.map((one, at) => flow({ ...values, ...one, source_port: source_port + at })));
    await evaluate();
    const found = await listFrom(...asked.map((_, at) => source_port + at));
    return found.map(({ server_port, broken_link, denied_by, policy }) => [
      server_port,
      broken_link,
      denied_by?.replace(/\d+/, 'n'),
      policy?.id ?? null,
    ]);
  };
  let policy: Awaited<ReturnType<typeof lab.create>>;

  beforeAll(async () => {
    await lab.sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      select gen_random_uuid(), cluster_id, network_id, subnet_id, ${OFF_IP}, ${await lab.id(OFF)}, 'manual'
      from ip_addresses where address = ${SERVER} limit 1 on conflict do nothing`;
    await freshAddressBook();
    policy = await lab.create({
      definition: enforced,
      rules: [
        { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
        { action: 'drop', protocol: 'tcp', destination_ports: ['9443'] },
      ],
    });
  });

  it('has no escaped traffic before a policy is applied, whatever it would deny', async () => {
    await write('');
    expect(await findOn(54_000)).toEqual([]);
    await write('[OPTIONS]\n\nenable: 0\n\n[RULES]\n\nIN DROP -p tcp -dport 8443\n');
    expect(await findOn(54_010)).toEqual([]);
    const drops = await lab.create({ definition: { ...enforced, default_action: 'drop' }, rules: [] });
    expect(await findOn(54_020)).toEqual([]);
    await lab.json(`/policies/${drops.id}`, { method: 'DELETE' });
  });

  it('has what applied rules deny, and not what its own default or rules do', async () => {
    await write('');
    await lab.apply(policy);
    const file = read();
    expect(file).toContain('policy_in: ACCEPT');
    const off = file.replace('enable: 1', 'enable: 0');
    const expected = [[9443, 'guest_firewall', 'Position n', policy.id]];
    await write(off);
    expect(await findOn(55_000)).toEqual(expected);
    await write(off.replace('policy_in: ACCEPT\n', ''));
    expect(await findOn(55_010)).toEqual(expected);
    await write(`${off}\nIN DROP -p tcp -dport 8443\n`);
    expect(await findOn(55_020)).toEqual(expected);
    await write(file);
  });

  it('has what the default denies that an applied policy asks for', async () => {
    const drops = await lab.create({ definition: { ...enforced, default_action: 'drop' }, rules: [] });
    await lab.apply(drops);
    expect(read()).not.toContain('policy_in: ACCEPT');
    await write(read().replace('enable: 1', 'enable: 0'));
    expect((await findOn(56_000)).sort()).toEqual([
      [8443, 'guest_firewall', 'Default policy DROP', null],
      [9443, 'guest_firewall', 'Position n', policy.id],
      [9443, 'guest_firewall', 'Position n', policy.id],
    ]);
  });
});
