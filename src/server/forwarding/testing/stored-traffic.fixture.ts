import { db, sqlClient } from '@/server/db/client';
import { stableKey } from '@/server/lib/ids';
import type { ValidFlow } from '../../traffic/storage/flow-rows';
import { flowStore } from '../../traffic/storage/flow-store';

/** A flow as the storage takes it: from a port of a client to a server, with nothing known about either end. */
export function makeStoredFlow(port: number, at: number, values: Partial<ValidFlow['record']> = {}): ValidFlow {
  const [source_ip, destination_ip, protocol, decision] = ['192.0.2.10', '198.51.100.20', 'tcp', 'observed'] as const;
  const time = new Date(at).toISOString();
  return {
    record: {
      flow_key: stableKey([source_ip, destination_ip, protocol, port, 443, decision]),
      ...{
        source_ip,
        destination_ip,
        protocol,
        decision,
        source_port: port,
        destination_port: 443,
        state: 'ESTABLISHED',
      },
      ...{
        bytes: null,
        packets: null,
        reported_bytes: 100,
        reported_packets: 1,
        first_seen_at: time,
        observed_at: time,
      },
      ...{ collector: 'ebpf', icmp_type: null, icmp_code: null, vlan: null, initiator: 'source', interface: null },
      ...{ vmid: null, nic: null, workload_id: null, source_workload_id: null, destination_workload_id: null },
      ...{ source_cidr: null, destination_cidr: null, raw: null, ...values },
    },
    ...{ delta_bytes: 100, delta_packets: 1, has_begin: true, is_resolvable: false },
    ...{ source_prefix: '192.0.2.0/24', destination_prefix: '198.51.100.0/24' },
  };
}

type Connection = {
  family?: 4 | 6;
  isIcmp?: boolean;
  /** Bytes of each direction, and a hundredth as packets; null: the client's are not counted, the server's were not seen. */
  sent: number | null;
  received: number | null;
};

/** Both directions of a connection of a client 10.1.x or 2001:db8:1:x, reported so many seconds late. */
export function makeConnection(i: number, given: Connection, delay = 0): ValidFlow[] {
  const { family = 4, isIcmp = false, sent, received } = given;
  const [client, server] =
    family === 4 ? [`10.1.${i >> 8}.${i & 255}`, '10.2.0.1'] : [`2001:db8:1::${i.toString(16)}`, '2001:db8:2::1'];
  const protocol = isIcmp ? (family === 4 ? 'icmp' : 'icmpv6') : 'tcp';
  const ports = isIcmp ? [null, null] : [1024 + i, 443];
  const make = (isAnswer: boolean, bytes: number | null): ValidFlow => {
    const [source_ip, destination_ip] = isAnswer ? [server, client] : [client, server];
    const [source_port = null, destination_port = null] = isAnswer ? [...ports].reverse() : ports;
    const packets = bytes === null ? null : Math.ceil(bytes / 100);
    const type = family === 4 ? 8 : 128;
    const flow = makeStoredFlow(0, Date.now() - delay * 1000, {
      ...{ source_ip, destination_ip, protocol, source_port, destination_port },
      flow_key: stableKey([source_ip, destination_ip, protocol, source_port, destination_port, 'observed']),
      ...{ reported_bytes: bytes, reported_packets: packets, initiator: isAnswer ? 'destination' : 'source' },
      ...(isIcmp && { state: null, icmp_type: isAnswer ? (family === 4 ? 0 : 129) : type, icmp_code: 0 }),
    });
    return { ...flow, delta_bytes: bytes, delta_packets: packets };
  };
  return [make(false, sent), ...(received === null ? [] : [make(true, received)])];
}

/** Stores flows as the heartbeat of a node does. */
export async function storeFlows(node: { node_id: string; cluster_id: string }, flows: ValidFlow[]): Promise<void> {
  const sorted = [...flows].sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
  await db.transaction((tx) => flowStore().append(tx, node, sorted, new Date().toISOString()));
}

/**
 * Lets time pass for what is stored: everything is so many seconds older. What settles is decided by the database's clock, which no test
 * can move.
 */
export async function advanceTime(seconds: number): Promise<void> {
  const sql = sqlClient();
  const by = sql`make_interval(secs => ${seconds})`;
  await sql.begin(async (tx) => {
    await tx`update traffic_flows set created_at = created_at - ${by}, updated_at = updated_at - ${by},
      first_seen_at = first_seen_at - ${by}, observed_at = observed_at - ${by}`;
    await tx`update traffic_conversations set created_at = created_at - ${by}, updated_at = updated_at - ${by},
      first_seen_at = first_seen_at - ${by}, last_seen_at = last_seen_at - ${by}`;
    await tx`update forwarding_exports set first_seen_at = first_seen_at - ${by}, last_seen_at = last_seen_at - ${by}`;
    await tx`update forwarding_streams set next_attempt_at = next_attempt_at - ${by}, position = case when position ? 'due_at' then
      jsonb_set(position, '{due_at}', to_jsonb(to_char(((position->>'due_at')::timestamptz - ${by}) at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) else position end`;
    // Heartbeats that arrive later are others.
    await tx`delete from rate_limits`;
  });
}
