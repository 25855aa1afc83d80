import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PolicyListInput } from '@/domain/policies';
import { claimDemo, isDemo } from '@/runtime/demo-installation';
import { systemScope } from '@/server/auth/scope';
import { listPolicies } from '@/server/enforcement/policies/policies';
import { awaitSyncRun } from '@/server/inventory/reads';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues } from '@/server/jobs/queues';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import * as bundle from '@/server/traffic/agents/agent-bundle';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { call } from '@/test/request';
import { processors } from '../../workers/processors';
import { startWorkers, type WorkerRuntime } from '../../workers/runtime';
import { DemoAgents } from './agents/demo-agents';
import { trafficFile } from './agents/kept-traffic';
import type { Post } from './agents/post';
import { DEMO_EMAIL, ensureAdministrator, PROJECT_USER_EMAIL } from './installation/accounts';
import { ensureClusters } from './installation/clusters';
import { runSteps } from './installation/kept-steps';
import { listSetupSteps } from './installation/steps';
import { SITES } from './inventory/company';
import { type DemoSimulator, startDemoSimulator } from './simulator/demo-simulator';
import { simulatedView } from './simulator/simulated-view';
import { SLOT_MS } from './traffic/sessions';

// Nothing is installed here, so nothing has to be built.
vi.spyOn(bundle, 'requireAgentBundle').mockResolvedValue({} as bundle.AgentBundle);
vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.10.0/24,127.0.11.0/24');

const PASSWORD = 'K7QM-2XWP-9ATD';
const HISTORY = 240;
const RECENT = 120;
const GUESTS = SITES.flatMap(({ guests }) => guests).length;
const NODES = SITES.flatMap(({ nodes }) => nodes).length;

const post: Post = async (path, body, token) => {
  const response = await call(path.replace('/api/v1', ''), {
    body,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  return { status: response.status, body: await response.json() };
};

let directory: string;
let sql: postgres.Sql;
let demo: DemoSimulator;
let workers: WorkerRuntime;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-demo-'));
  sql = postgres(env().DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
  await claimDemo(env().DATABASE_URL ?? '');
  await queueBackend.prepare();
  workers = await startWorkers(processors);
});
afterAll(async () => {
  await workers?.close();
  await demo?.close();
  await closeQueues();
  await sql.end({ timeout: 5 });
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** What a start does, up to the agents. */
async function start(): Promise<Awaited<ReturnType<typeof ensureClusters>>> {
  await ensureAdministrator(PASSWORD);
  demo = await startDemoSimulator(directory);
  const clusters = await ensureClusters(demo.simulator);
  for (const id of clusters.run_ids) await awaitSyncRun(systemScope('cluster:sync', 'test'), id);
  await runSteps(directory, listSetupSteps(demo.simulator, PASSWORD), new AbortController().signal);
  return clusters;
}

/** Lets the agents do all that is due. */
async function report(): Promise<void> {
  const agents = new DemoAgents({
    view: simulatedView(demo.simulator),
    file: trafficFile(directory),
    post,
    baseUrl: 'http://fabric.test',
    history: HISTORY,
    recent: RECENT,
  });
  // The clock does not advance during a step: a slow heartbeat would change the offset of the agent's clock.
  const now = vi.spyOn(clock, 'now');
  for (let pause = 0; pause === 0; pause = await agents.step()) {
    const started = new Date();
    now.mockImplementation(() => started);
  }
  now.mockRestore();
}

const count = async (table: string) => (await sql`select count(*)::int as n from ${sql(table)}`)[0]?.n as number;
const stored = async () => ({
  users: await count('users'),
  clusters: await count('clusters'),
  nodes: await count('nodes'),
  workloads: await count('workloads'),
  agents: await count('node_agents'),
  subnets: await count('subnets'),
  projects: await count('projects'),
  groups: await count('security_groups'),
  policies: await count('policies'),
});

describe('a demo', () => {
  it('creates an installation with synced clusters, agents and a history through the services', async () => {
    const { run_ids } = await start();
    expect(run_ids).toHaveLength(SITES.length);
    expect(await sql`select name, sync_status, last_sync_error from clusters order by name`).toEqual(
      SITES.map(({ cluster_name }) => ({ name: cluster_name, sync_status: 'ok', last_sync_error: null })),
    );
    await report();
    // Of the address plan, of the SDN, and one that only a guest reported: IPv6.
    expect(await stored()).toEqual({
      users: 2,
      clusters: SITES.length,
      nodes: NODES,
      workloads: GUESTS,
      agents: NODES,
      subnets: SITES.flatMap(({ networks }) => Object.keys(networks)).length + SITES.length + 1,
      projects: 5,
      groups: 9,
      policies: 9,
    });
    const [addresses] = await sql`
      select count(*)::int as n, count(*) filter (where address << '172.16.0.0/12')::int as docker from ip_addresses
      where workload_id is not null`;
    expect(addresses).toEqual({ n: expect.any(Number), docker: 0 });
    expect(addresses?.n).toBeGreaterThan(50);

    expect(await sql`select state, created_by_name, jsonb_array_length(items) as edits from changes`).toEqual([
      { state: 'in_review', created_by_name: PROJECT_USER_EMAIL, edits: 2 },
    ]);

    const login = await call('/auth/login', { body: { email: DEMO_EMAIL, password: PASSWORD } });
    expect((await login.json()).user.permissions).toContain('*');

    const [flows] = await sql`
      select count(*)::int as flows, count(distinct node_id)::int as nodes, min(observed_at) < now() - interval '45 minutes' as old,
        max(observed_at) > now() - interval '1 minute' as fresh, bool_and(observed_at <= now()) as past,
        count(*) filter (where decision = 'drop')::int as dropped, count(*) filter (where decision = 'accept')::int as accepted,
        count(*) filter (where vmid is not null and workload_id is null)::int as unattributed,
        (select count(*)::int from unconfirmed_flows) as unconfirmed
      from traffic_flows`;
    // Agents report about guests of their own nodes.
    expect(flows).toMatchObject({ old: true, fresh: true, past: true, unattributed: 0, unconfirmed: 0 });
    expect(flows?.flows).toBeGreaterThan(1_000);
    expect(flows?.dropped).toBeGreaterThan(20);
    // One node cannot capture; the one with the stale agent reported until it stopped.
    expect(flows?.nodes).toBe(NODES - 1);
    // An outside attacker reads the ERP database, and the log says which rule lets them.
    const theft = await sql`
      select decision, raw->>'excerpt' as excerpt from traffic_flows
      where source_ip = '203.0.113.199' and destination_ip = '10.40.90.15' and destination_port = 3306`;
    expect(theft.length).toBeGreaterThan(0);
    expect(theft.every(({ decision, excerpt }) => decision === 'accept' && excerpt.includes('ACCEPT: '))).toBe(true);
  });

  it('has policies in every status', async () => {
    const { items } = await listPolicies(systemScope('policy:read', 'test'), PolicyListInput.parse({}));
    const statusOf = Object.fromEntries(items.map(({ name, deployment_status }) => [name, deployment_status]));
    expect(statusOf).toEqual({
      'Customers reach the load balancers': 'active',
      'Applications reach PostgreSQL': 'partial',
      'Applications reach the cache': 'stale',
      'Search answers the shop only': null,
      'Web servers reach the balancers only': null,
      'Databases accept nothing from web servers': null,
      'Backups by the old backup server': 'unresolved',
      'Desktops do not reach each other': null,
      'Monitoring reaches the office servers': 'stale',
    });
  });

  it('has agents of every kind', async () => {
    const agents = await sql`
      select n.name, a.status, a.clock_offset_ms, a.last_heartbeat_at, (select max(observed_at) from traffic_flows f where f.node_id = n.id) as last_flow
      from node_agents a join nodes n on n.id = a.node_id order by n.name`;
    const of = (name: string) => agents.find((agent) => agent.name === name);
    expect(of('muc-pve3')?.status).toBe('degraded');
    expect(of('fra-pve1')?.status).toBe('ok');
    expect(of('muc-pve2')?.clock_offset_ms).toBe(47_000);
    expect(of('fra-pve4')?.status).toBe('silent');
    expect(Date.now() - of('fra-pve4')?.last_heartbeat_at).toBeGreaterThan(20 * 60_000);
    expect(Date.now() - of('fra-pve4')?.last_flow).toBeGreaterThan(20 * 60_000);
    expect(Date.now() - of('muc-pve2')?.last_flow).toBeLessThan(2 * 60_000);
    expect(await count('interface_traffic')).toBeGreaterThan(0);
  });

  it('has evidence for its whole history, except where no agent reports', async () => {
    const rows = await sql<{ name: string; share: number }[]>`
      select n.name, (select sum(extract(epoch from upper(span) - lower(span)))::float8 / ${(HISTORY * SLOT_MS) / 1000} from unnest(h.spans) as span) as share
      from (select node_id, range_agg(reported) as spans from agent_hours group by node_id) as h
      join nodes as n on n.id = h.node_id order by n.name`;
    const complete = rows.filter(({ share }) => share > 0.98);
    expect(rows.map(({ name }) => name).filter((name) => !complete.some((one) => one.name === name))).toEqual([
      'fra-pve4',
    ]);
    expect(rows.find(({ name }) => name === 'fra-pve4')?.share).toBeGreaterThan(0.5);
  });

  it('aggregates what it stored: the minutes of a node hold the bytes its guests’ interfaces counted', async () => {
    const [row] = await sql`
      select (select sum(bytes) from flow_rollup_minutes m join nodes n on n.id = m.node_id where n.name = 'fra-pve1' and bucket_at >= (select min(observed_at) from interface_samples)) as rolled_up,
        (select sum(rx_bytes + tx_bytes) from interface_samples s join nodes n on n.id = s.node_id
          where n.name = 'fra-pve1' and s.kind in ('tap', 'veth')
            and s.observed_at = (select max(observed_at) from interface_samples i where i.node_id = s.node_id)) as counted`;
    const rolledUp = Number(row?.rolled_up);
    // A packet between two guests of the node crosses two interfaces.
    expect(Number(row?.counted)).toBeGreaterThanOrEqual(rolledUp * 0.99);
    expect(Number(row?.counted)).toBeLessThanOrEqual(2.2 * rolledUp);
  });

  it('continues after a restart: same address, same certificate, nothing twice', async () => {
    const before = await stored();
    const address = await sql`select api_url, tls_fingerprint, version from clusters order by name`;
    const workloads = await sql`select id, started_at from workloads order by id`;
    await demo.close();
    const { run_ids } = await start();
    expect(run_ids).toEqual([]);
    await report();
    expect(await stored()).toEqual(before);
    expect(await sql`select api_url, tls_fingerprint, version from clusters order by name`).toEqual(address);
    expect(await sql`select id, started_at from workloads order by id`).toEqual(workloads);
  });

  it('delivers again what it was delivering when it was killed, and the service counts it once', async () => {
    const path = join(directory, 'traffic.json');
    const state = JSON.parse(readFileSync(path, 'utf8'));
    const sums = () =>
      sql`select bucket_at, sum(bytes) as bytes, sum(flows) as flows from flow_rollup_minutes group by 1 order by 1`;
    const before = await sums();
    // Killed after the service stored the round and before that was written down.
    const round = { from: state.covered_to, to: state.covered_to, kind: 'live' };
    writeFileSync(path, JSON.stringify({ ...state, covered_to: state.covered_to - 1, round }));
    const agents = new DemoAgents({
      view: simulatedView(demo.simulator),
      file: trafficFile(directory),
      post,
      baseUrl: 'http://fabric.test',
      history: HISTORY,
      recent: RECENT,
    });
    await agents.step();
    expect(await sums()).toEqual(before);
  });

  it('keeps what it knows from other users of the machine', () => {
    for (const name of ['traffic.json', 'simulator.json', 'clusters.json']) {
      expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
    }
  });
});

describe('an installation that is no demo', () => {
  it('stays unchanged when it is in use', async () => {
    const url = await createTestDatabase();
    const other = postgres(url, { max: 1, onnotice: () => {} });
    await other`insert into users (id, email, password_hash) values (gen_random_uuid(), 'ada@example.org', 'x')`;
    await expect(claimDemo(url)).rejects.toThrow(/^SEED_DEMO_DATA=true: this installation is in use and is not a demo/);
    expect(await isDemo(url)).toBe(false);
    await other.end();
    await dropTestDatabase(url);
  });

  it('becomes one only while it is empty, and stays one', async () => {
    const url = await createTestDatabase();
    await claimDemo(url);
    const other = postgres(url, { max: 1, onnotice: () => {} });
    await other`insert into users (id, email, password_hash) values (gen_random_uuid(), 'ada@example.org', 'x')`;
    await claimDemo(url);
    expect(await isDemo(url)).toBe(true);
    await other.end();
    await dropTestDatabase(url);
  });
});
