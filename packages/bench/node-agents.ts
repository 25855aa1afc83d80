import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Flow, Heartbeat } from '@fabric/agent-contract';
import { type Call, describeError } from './person';
import { GUESTS, guestAddress } from './service-environment';

const SERVICES = [443, 5432, 53, 22, 80];

/** What one node saw since its last heartbeat: conversations that go on, and a few that are new. */
function buildFlows(node: number, nodes: number, sequence: number, count: number, at: string): Flow[] {
  return Array.from({ length: count }, (_, i): Flow => {
    // One in ten is new each time.
    const serial = i % 10 === 0 ? sequence * count + i : i;
    const inside = i % 5 < 3;
    return {
      source_ip: guestAddress(node, i % GUESTS),
      destination_ip: inside
        ? guestAddress((node + 1 + (i % 7)) % nodes, serial % GUESTS)
        : `203.0.113.${1 + (serial % 250)}`,
      protocol: 'tcp',
      source_port: 1024 + (serial % 60_000),
      destination_port: SERVICES[i % SERVICES.length] ?? 443,
      decision: i % 20 === 0 ? 'drop' : 'observed',
      state: 'ESTABLISHED',
      bytes: 20_000 + sequence * 1_000,
      packets: 40 + sequence * 4,
      delta_bytes: 1_000,
      delta_packets: 4,
      first_seen_at: at,
      observed_at: at,
      collector: 'ebpf',
      initiator: 'source',
      interface: `tap${100 + node * GUESTS + (i % GUESTS)}i0`,
      vmid: 100 + node * GUESTS + (i % GUESTS),
      nic: 0,
    };
  });
}

export type AgentPlan = {
  url: string;
  tokens: readonly string[];
  intervalMs: number;
  flows: number;
  onCall: (call: Call) => void;
  /** A heartbeat that the service took: node and number. */
  onAccepted?: (node: number, sequence: number, bootId: string) => void;
  /** As a real agent, send what failed again until it is taken. */
  keepTrying?: boolean;
};

/** One agent that reports until the signal. Its first heartbeat comes at any moment of the interval. */
async function runAgent(node: number, plan: AgentPlan, signal: AbortSignal): Promise<void> {
  const { url, tokens, intervalMs, flows, onCall } = plan;
  const bootId = randomUUID();
  await delay(Math.random() * intervalMs, undefined, { signal });
  for (let sequence = 0; !signal.aborted; ) {
    const started = performance.now();
    const at = new Date().toISOString();
    const heartbeat: Heartbeat = {
      protocol_version: 1,
      agent_version: '0.2.0',
      machine_id: node.toString(16).padStart(32, '0'),
      boot_id: bootId,
      sequence,
      sent_at: at,
      interval_seconds: Math.max(10, Math.round(intervalMs / 1000)),
      interfaces: [],
      interface_traffic: [],
      flow_diagnostics: null,
      firewall_status: null,
      nftables_ruleset_hash: 'ab'.repeat(32),
      flows: buildFlows(node, tokens.length, sequence, flows, at),
    };
    let error: string | null = null;
    try {
      const response = await fetch(`${url}/api/v1/agents/heartbeat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[node]}`, 'content-type': 'application/json' },
        body: JSON.stringify(heartbeat),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (response.ok) plan.onAccepted?.(node, sequence, bootId);
      else error = `${response.status} ${text.slice(0, 80)}`;
    } catch (cause) {
      error = describeError(cause);
    }
    onCall({ name: 'heartbeat', ms: performance.now() - started, error });
    const retry = error !== null && plan.keepTrying === true;
    if (!retry) sequence += 1;
    const pause = retry ? 1_000 : intervalMs - (performance.now() - started);
    await delay(Math.max(0, pause), undefined, { signal });
  }
}

/** The agents of all nodes, until the signal. */
export async function runAgents(plan: AgentPlan, signal: AbortSignal): Promise<void> {
  const stopped = () => {};
  await Promise.all(plan.tokens.map((_, node) => runAgent(node, plan, signal).catch(stopped)));
}
