import { sql } from 'drizzle-orm';
import type { Snapshot } from '../db/stream-rows';
import { type InsightSelection, insightRows } from './insight-flows';

/** What is looked at of a flow to tell what decides about it. */
export type FactsRow = {
  source_ip: string;
  destination_ip: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  decision: string;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  workload_id: string | null;
  nic: number | null;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_cidr: string | null;
  destination_cidr: string | null;
};

const COLUMNS =
  sql.raw(`t.flow_key, host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol,
  t.source_port, t.destination_port, t.decision, t.initiator, t.icmp_type, t.icmp_code, t.workload_id, t.nic,
  t.source_workload_id, t.destination_workload_id, t.source_cidr::text as source_cidr,
  t.destination_cidr::text as destination_cidr`);

/** Hands over a workload's flows, each once, in batches. They are not masked: nothing of them may be shown. */
export function eachFacts(
  snapshot: Snapshot,
  selection: InsightSelection,
  work: (rows: readonly FactsRow[]) => void,
): Promise<void> {
  return snapshot.each<FactsRow>(insightRows(selection, COLUMNS), work);
}
