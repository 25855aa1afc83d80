import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client';

/** What judging a stored flow needs. */
export type CountedFlow = {
  source_ip: string;
  destination_ip: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  decision: string;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  nic: number | null;
  workload_id: string | null;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  first_seen_at: string;
  observed_at: string;
  /** Whether it was first stored since the last count. */
  began: boolean;
};

export type CountedSpan = {
  node_id: string;
  /** Flows that were first stored from here on, … */
  from: string;
  /** … but not after this, are read, … */
  until: string;
  /** … and older ones that were updated since; null: no older ones. */
  updated_from: string | null;
  /** Flows last observed before are left out. */
  observed_from: string;
};

const at = (name: string) =>
  sql.raw(`to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`);

/**
 * Flows of a node with a known guest at an end, a batch at a time, whatever their number; those that a log line decided
 * come first. Run it to its end inside one transaction.
 */
export async function* readCountedFlows(tx: Tx, span: CountedSpan, batch = 5_000): AsyncGenerator<CountedFlow[]> {
  const { node_id, from, until, updated_from, observed_from } = span;
  await tx.execute(sql`
    declare counted_flows no scroll cursor for
    select host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol, t.source_port,
      t.destination_port, t.decision, t.initiator, t.icmp_type, t.icmp_code, t.nic, t.workload_id, t.source_workload_id,
      t.destination_workload_id, ${at('first_seen_at')}, ${at('observed_at')},
      t.created_at >= ${from}::timestamptz as began
    from traffic_flows as t
    where t.node_id = ${node_id}::uuid and t.observed_at >= ${observed_from}::timestamptz
      and t.created_at < ${until}::timestamptz and t.updated_at >= ${updated_from ?? from}::timestamptz
      ${updated_from === null ? sql`and t.created_at >= ${from}::timestamptz` : sql``}
      and (t.source_workload_id is not null or t.destination_workload_id is not null)
    order by t.decision = 'observed'`);
  for (;;) {
    const rows = await tx.execute<CountedFlow>(sql`fetch ${sql.raw(String(batch))} from counted_flows`);
    if (rows.length > 0) yield [...rows];
    if (rows.length < batch) break;
  }
  await tx.execute(sql`close counted_flows`);
}
