import { portOfService } from '@/domain/flow/port-of-service';
import type { RollupIdentity, RollupRecord } from '../../repositories/rollups';
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

/**
 * What a heartbeat adds by minute, ends, service and verdict, sorted by key as the store asks for. These sums and the totals
 * of the flows grow by the same.
 * @param inserted keys of the flows that are new
 */
export function rollUp(flows: readonly JudgedFlow[], inserted: ReadonlySet<string>): RollupRecord[] {
  const sums = new Map<string, RollupRecord>();
  for (const { record, source_prefix, destination_prefix } of flows) {
    const minute = new Date(Math.floor(Date.parse(record.observed_at) / MINUTE_MS) * MINUTE_MS).toISOString();
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
    const key = `${minute} ${rollup_key}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { bucket_at: minute, rollup_key, ...identity, bytes: 0, packets: 0, flows: 0 };
      sums.set(key, sum);
    }
    sum.bytes = Math.min(sum.bytes + (record.bytes ?? 0), Number.MAX_SAFE_INTEGER);
    sum.packets = Math.min(sum.packets + (record.packets ?? 0), Number.MAX_SAFE_INTEGER);
    if (inserted.has(record.flow_key)) sum.flows += 1;
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
