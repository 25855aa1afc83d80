import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Agent, AgentDetail, AgentInstall, AgentSummary } from '@/domain/agent';
import { handleTrpc } from '@/server/api/handle-trpc';
import { appRouter } from '@/server/api/root';
import { STAMPED } from '@/server/auth/origin';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeCluster, makeNode, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { offeredVersion } from './agents';
import { makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

const sql = sqlClient();
let cluster: { id: string };
let nodes: { id: string; name: string }[];
let admin: Record<string, string>;

const diagnostics = (log: string) => ({
  conntrack_path: null,
  bridge_nf_call_iptables: null,
  bridge_nf_call_ip6tables: null,
  nf_conntrack_acct: true,
  nf_conntrack_count: 1,
  nf_conntrack_max: 2,
  capabilities: [],
  collectors: [
    { name: 'packet_capture', state: 'active', counts: { frames: 1 } },
    { name: 'firewall_log', state: log, detail: 'there is no log' },
  ],
  seen: { flows: 3, bytes: 1, packets: 1 },
  left_out: { flows: 0, bytes: 0, packets: 0 },
});

async function sendHeartbeat(node: { id: string }, version: string, log: string, flows: unknown[] = makeFlows(3)) {
  const headers = await makeAgent(node);
  const body = makeHeartbeat(flows, { agent_version: version, flow_diagnostics: diagnostics(log) });
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers });
  expect(response.status, await response.clone().text()).toBe(200);
}

async function callProcedure<T>(path: string, input: unknown, method = 'GET', headers = admin): Promise<T> {
  const response = await handleTrpc(
    appRouter,
    method === 'GET'
      ? new Request(`http://own.test/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })
      : new Request(`http://own.test/api/trpc/${path}`, {
          method,
          body: JSON.stringify(input),
          headers: { 'content-type': 'application/json', ...headers },
        }),
  );
  const body = await response.json();
  if (!response.ok) throw new Error(`${body.error.data.httpStatus} ${body.error.message}`);
  return body.result.data as T;
}
const listNodeNames = async (filter: object) =>
  (await callProcedure<{ items: Agent[] }>('agents.list', { cluster_id: cluster.id, ...filter })).items.map(
    (a) => a.node_name,
  );

beforeAll(async () => {
  admin = await bearer(await makeUser('super_admin'));
  cluster = await makeCluster();
  nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => makeNode(cluster, { name })));
  const [a, b, c] = nodes;
  if (!a || !b || !c) throw new Error('no nodes');
  await sendHeartbeat(a, (await offeredVersion()) ?? '0.2.0', 'active');
  await sendHeartbeat(b, '0.1.9', 'unavailable', [...makeFlows(2), { nonsense: true }]);
  await makeAgent(c);
  await sql`update node_agents set status = 'pending', agent_version = null, last_heartbeat_at = null where node_id = ${c.id}`;
});

describe('agents', () => {
  it('say which collectors lack something, and which are older than what the service brings', async () => {
    const { items } = await callProcedure<{ items: Agent[] }>('agents.list', { cluster_id: cluster.id });
    expect(items.map(({ node_name, status }) => [node_name, status])).toEqual([
      ['a', 'ok'],
      ['b', 'ok'],
      ['c', 'pending'],
      ['d', null],
    ]);
    expect(items[1]?.collectors).toEqual([
      { name: 'packet_capture', state: 'active' },
      { name: 'firewall_log', state: 'unavailable' },
    ]);
    expect(items[2]?.collectors).toEqual([]);
    const built = (await offeredVersion()) !== null;
    expect(items.map((agent) => agent.outdated)).toEqual([built ? false : null, built ? true : null, null, null]);
  });

  it('filter by fault', async () => {
    expect(await listNodeNames({ lacking: true })).toEqual(['b']);
    expect(await listNodeNames({ lacking: false })).toEqual(['a']);
    expect(await listNodeNames({ status: 'none' })).toEqual(['d']);
    // A stale agent does not prove that its collectors work.
    await sql`update node_agents set status = 'silent' where node_id = ${nodes[0]?.id ?? ''}`;
    expect(await listNodeNames({ lacking: false })).toEqual([]);
    await sql`update node_agents set status = 'ok' where node_id = ${nodes[0]?.id ?? ''}`;
    if ((await offeredVersion()) === null) return;
    expect(await listNodeNames({ outdated: true })).toEqual(['b']);
    expect(await listNodeNames({ outdated: false })).toEqual(['a']);
  });

  it('sort by the numbers in their versions', async () => {
    const c = nodes[2]?.id ?? '';
    await sql`update node_agents set agent_version = '0.1.10' where node_id = ${c}`;
    const sorted = async (sort: string) => {
      const found: string[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await callProcedure<{ items: Agent[]; next_cursor: string | null }>('agents.list', {
          cluster_id: cluster.id,
          sort,
          limit: 1,
          ...(cursor && { cursor }),
        });
        found.push(...page.items.map(({ node_name }) => node_name));
        cursor = page.next_cursor ?? undefined;
      }
      return found;
    };
    expect(await sorted('agent_version')).toEqual(['b', 'c', 'a', 'd']);
    expect(await sorted('-agent_version')).toEqual(['a', 'c', 'b', 'd']);
    await sql`update node_agents set agent_version = null where node_id = ${c}`;
  });

  it('have counts by state', async () => {
    const offered = await offeredVersion();
    expect(await callProcedure<AgentSummary>('agents.summary', { cluster_id: cluster.id })).toEqual({
      nodes: 4,
      ok: 2,
      degraded: 0,
      silent: 0,
      pending: 1,
      none: 1,
      outdated: offered === null ? 0 : 1,
      lacking: 1,
      agent_version: offered,
    });
  });

  it('show the hours of the last day and what was refused', async () => {
    const detail = await callProcedure<AgentDetail>('agents.get', { id: nodes[1]?.id });
    expect(detail.last_day).toEqual({ heartbeats: 1, accepted: 2, updated: 0, rejected: 1 });
    expect(detail.hours).toHaveLength(1);
    expect(detail.hours[0]).toMatchObject(detail.last_day);
    expect(Date.now() - Date.parse(detail.hours[0]?.hour_at ?? '')).toBeLessThan(2 * 3_600_000);
    expect(detail.rejections).toEqual([
      { received_at: expect.any(String), index: 2, reason: expect.stringContaining('source_ip') },
    ]);
    expect(detail.node_status).toBe('unknown');
    await sql`update nodes set status = 'offline' where id = ${nodes[1]?.id ?? ''}`;
    expect((await callProcedure<AgentDetail>('agents.get', { id: nodes[1]?.id })).node_status).toBe('offline');
    const none = await callProcedure<AgentDetail>('agents.get', { id: nodes[3]?.id });
    expect(none).toMatchObject({ status: null, payload: null, hours: [], rejections: [] });
    expect(none.last_day.heartbeats).toBe(0);
  });

  it('have an install command with the address at which the page was opened', async () => {
    if ((await offeredVersion()) === null) return;
    vi.stubGlobal(STAMPED, true);
    const headers = { ...admin, 'x-fabric-host': 'fabric.example:8443', 'x-fabric-proto': 'https' };
    const { command, node_name } = await callProcedure<AgentInstall>(
      'agents.install',
      { node_id: nodes[3]?.id },
      'POST',
      headers,
    );
    expect(node_name).toBe('d');
    expect(command).toContain("'https://fabric.example:8443/api/v1/agents/install.sh'");
    const own = await callProcedure<AgentInstall>('agents.install', { node_id: nodes[3]?.id }, 'POST');
    expect(own.base_url).toBe('http://own.test');
    const viewer = await bearer(await makeUser('viewer'));
    await expect(callProcedure('agents.install', { node_id: nodes[3]?.id }, 'POST', viewer)).rejects.toThrow('403');
  });
});
