import { gzipSync } from 'node:zlib';
import type { Flow, Heartbeat } from '@fabric/agent-contract';

export const NODES = 64;
export const GUESTS = 20;
export const FLOWS = 1500;
/** The most that an agent may be set to report in one heartbeat (`flow_limit`). */
export const MOST_FLOWS = 20_000;
const INTERFACES = 60;
const SERVICES = [443, 5432, 53, 22, 80];

export const guestAddress = (node: number, guest: number): string => `10.${node}.0.${10 + guest}`;

/**
 * Flow `i` of a node: three of five between guests of two nodes, the others to the internet. The SQL of `preloadSql` makes
 * the same ones, so that these heartbeats meet them.
 */
function buildFlow(node: number, i: number, at: string, isNew: boolean): Flow {
  const kind = i % 5;
  const round = Math.floor(i / GUESTS);
  const inside = kind < 3;
  return {
    source_ip: guestAddress(node, i % GUESTS),
    destination_ip: inside
      ? guestAddress((node + 1 + kind) % NODES, round % GUESTS)
      : `203.0.${round % 64}.${1 + (round % 250)}`,
    protocol: 'tcp',
    source_port: 1024 + (round % 60_000),
    destination_port: SERVICES[kind] ?? 0,
    decision: 'observed',
    state: 'ESTABLISHED',
    bytes: 20_000 + i,
    packets: 40,
    // Agents leave out what is new where it is all of it.
    ...(!isNew && { delta_bytes: 1_000, delta_packets: 4 }),
    first_seen_at: at,
    observed_at: at,
    collector: 'ebpf',
    initiator: 'source',
    interface: `tap${100 + node * GUESTS + (i % GUESTS)}i0`,
    vmid: 100 + node * GUESTS + (i % GUESTS),
    nic: 0,
    raw: {
      source_translated: `198.51.100.${i % 250}`,
      zone: 0,
      excerpt: 'tap100i0-IN policy ACCEPT: IN=fwbr100i0 OUT=fwbr100i0',
    },
  };
}

/** Rows of one node's first `perNode` flows as they look after a heartbeat, unless one came; parameters: first and last row of each node, age in minutes, nodes. */
export const PRELOAD_SQL = `
  insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port,
    destination_port, decision, state, bytes, packets, first_seen_at, observed_at, collector, initiator, interface, vmid,
    nic, workload_id, source_workload_id, destination_workload_id, source_cidr, destination_cidr, raw)
  select n.id,
    substr(encode(sha256(convert_to(format('["%s","%s","tcp",%s,%s,"observed"]', f.source_ip, f.destination_ip, f.sport, f.dport), 'UTF8')), 'hex'), 1, 32)::uuid,
    n.cluster_id, f.source_ip::inet, f.destination_ip::inet, 'tcp', f.sport, f.dport, 'observed', 'ESTABLISHED', 19000, 36,
    f.at, f.at, 'ebpf', 'source', 'tap100i0', sg.vmid, 0, sg.id, sg.id, dg.id,
    ('10.' || n.number || '.0.0/16')::cidr,
    case when f.kind < 3 then ('10.' || f.peer || '.0.0/16')::cidr end,
    jsonb_build_object('source_ip', f.source_ip, 'destination_ip', f.destination_ip, 'protocol', 'tcp', 'source_port', f.sport,
      'destination_port', f.dport, 'decision', 'observed', 'state', 'ESTABLISHED', 'bytes', 19000, 'packets', 36,
      'delta_bytes', 1000, 'delta_packets', 4, 'first_seen_at', f.at, 'observed_at', f.at, 'collector', 'ebpf',
      'initiator', 'source', 'interface', 'tap100i0', 'vmid', sg.vmid, 'nic', 0,
      'source_translated', '198.51.100.7', 'zone', 0, 'excerpt', 'tap100i0-IN policy ACCEPT: IN=fwbr100i0 OUT=fwbr100i0')
  from generate_series($1::int, $2::int - 1) as i
  join bench_nodes as n on n.number < $4::int
  cross join lateral (select i % 5 as kind, i / ${GUESTS} as round, (n.number + 1 + i % 5) % ${NODES} as peer) as k
  cross join lateral (select k.*, format('10.%s.0.%s', n.number, 10 + i % ${GUESTS}) as source_ip,
    case when k.kind < 3 then format('10.%s.0.%s', k.peer, 10 + k.round % ${GUESTS})
      else format('203.0.%s.%s', k.round % 64, 1 + k.round % 250) end as destination_ip,
    1024 + k.round % 60000 as sport, (array[${SERVICES.join(', ')}])[k.kind + 1] as dport,
    now() - make_interval(mins => $3::int) as at) as f
  join bench_guests as sg on sg.node = n.number and sg.guest = i % ${GUESTS}
  left join bench_guests as dg on f.kind < 3 and dg.node = f.peer and dg.guest = f.round % ${GUESTS}
  on conflict do nothing`;

/** The same pseudo-random numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The heartbeat number `sequence` of a node, compressed as the agent does: nine of ten flows are among those that are
 * stored, numbers `first` to `perNode`, anywhere among them; the others are new.
 * @param stored `restarted`: the agent was started just now, so all flows are new to it
 */
export function makeBody(
  node: number,
  sequence: number,
  stored: { first: number; perNode: number; restarted?: boolean; flows?: number },
  boot_id: string,
): Buffer {
  const { first, perNode, restarted = false, flows = FLOWS } = stored;
  const next = random(node * 7_919 + sequence * 104_729 + 1);
  const at = new Date().toISOString();
  const known = Math.round(flows * 0.9);
  const numbers = new Set<number>();
  while (numbers.size < Math.min(known, perNode - first)) numbers.add(first + Math.floor(next() * (perNode - first)));
  for (let i = 0; numbers.size < flows; i++) numbers.add(perNode + sequence * flows + i);
  const heartbeat: Heartbeat = {
    protocol_version: 1,
    agent_version: '0.2.0',
    machine_id: node.toString(16).padStart(32, '0'),
    boot_id,
    sequence,
    sent_at: at,
    interval_seconds: 30,
    interfaces: Array.from({ length: INTERFACES }, (_, i) => ({
      name: `tap${100 + i}i0`,
      kind: 'tap',
      rx_bytes: sequence * 1_000 + i,
      rx_packets: sequence,
      rx_errors: 0,
      rx_dropped: 0,
      tx_bytes: sequence * 2_000 + i,
      tx_packets: sequence,
      tx_errors: 0,
      tx_dropped: 0,
    })),
    interface_traffic: [],
    flow_diagnostics: null,
    firewall_status: null,
    nftables_ruleset_hash: 'ab'.repeat(32),
    flows: [...numbers].map((i) => buildFlow(node, i, at, restarted || i >= perNode)),
  };
  return gzipSync(JSON.stringify(heartbeat), { level: 1 });
}
