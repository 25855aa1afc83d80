import { sqlClient } from '@/server/db/client';
import { stableKey } from '@/server/lib/ids';
import type { ValidFlow } from '../../traffic/storage/flow-rows';

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
    await tx`update forwarding_streams set next_attempt_at = next_attempt_at - ${by}, position = case when position ? 'due_at' then
      jsonb_set(position, '{due_at}', to_jsonb(to_char(((position->>'due_at')::timestamptz - ${by}) at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) else position end`;
    // Heartbeats that arrive later are others.
    await tx`delete from rate_limits`;
  });
}
