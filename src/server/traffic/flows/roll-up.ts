import { portOfService } from '@/domain/flow/port-of-service';
import type { RollupIdentity, RollupRecord } from '../storage/postgres/minutes';
import type { UnresolvedPart } from '../storage/postgres/unresolved-minutes';
import type { JudgedFlow } from './judge-flows';
import { stableKey } from './stable-key';

const MINUTE_MS = 60_000;

/** The key of a rollup. */
export const rollupKey = (identity: RollupIdentity): string =>
  stableKey([
    identity.source_workload_id,
    identity.destination_workload_id,
    identity.source_prefix,
    identity.destination_prefix,
    identity.source_internal,
    identity.destination_internal,
    identity.protocol,
    identity.service_port,
    identity.reply,
    identity.decision,
  ]);

/** What a heartbeat adds to the minutes, each sorted by its key as the store asks for. */
export type RolledUp = {
  sums: RollupRecord[];
  /** What of these sums came from which flow, where an end is unknown that may turn out to be a workload. */
  parts: UnresolvedPart[];
};

const byKey = <T>(rows: ReadonlyMap<string, T>): T[] =>
  [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

/**
 * What a heartbeat adds by minute, ends, service and verdict. These sums and the totals of the flows grow by the same.
 * @param inserted keys of the flows that are new
 */
export function rollUp(flows: readonly JudgedFlow[], inserted: ReadonlySet<string>): RolledUp {
  const sums = new Map<string, RollupRecord>();
  const parts = new Map<string, UnresolvedPart>();
  for (const { record, source_prefix, destination_prefix, is_resolvable } of flows) {
    const bucket_at = new Date(Math.floor(Date.parse(record.observed_at) / MINUTE_MS) * MINUTE_MS).toISOString();
    const identity = {
      source_workload_id: record.source_workload_id,
      destination_workload_id: record.destination_workload_id,
      source_prefix,
      destination_prefix,
      source_internal: record.source_cidr !== null,
      destination_internal: record.destination_cidr !== null,
      protocol: record.protocol,
      ...portOfService(record),
      decision: record.decision,
    };
    const rollup_key = rollupKey(identity);
    const key = `${bucket_at} ${rollup_key}`;
    const counted = {
      bytes: record.bytes ?? 0,
      packets: record.packets ?? 0,
      flows: inserted.has(record.flow_key) ? 1 : 0,
    };
    let sum = sums.get(key);
    if (!sum) {
      sum = { bucket_at, rollup_key, ...identity, bytes: 0, packets: 0, flows: 0 };
      sums.set(key, sum);
    }
    sum.bytes = Math.min(sum.bytes + counted.bytes, Number.MAX_SAFE_INTEGER);
    sum.packets = Math.min(sum.packets + counted.packets, Number.MAX_SAFE_INTEGER);
    sum.flows += counted.flows;
    if (is_resolvable) {
      const { flow_key } = record;
      parts.set(`${key} ${flow_key}`, { bucket_at, rollup_key, flow_key, ...counted });
    }
  }
  return { sums: byKey(sums), parts: byKey(parts) };
}
