import { sql } from 'drizzle-orm';
import { HOUR_MS } from '@/domain/durations';
import { SUM_SECONDS, type SumSeconds } from '@/domain/flow/plan-sums';
import type { Tx } from '../../../db/client';
import { nodes } from '../../../db/schema/clusters';
import { unnestRows } from '../../../db/unnest-rows';
import type { FlowUpkeep } from '../flow-store';
import { makeSums } from '../postgres/make-sums';
import { recomputeFiveMinutes, recomputeHour, recomputeHourFromRollups } from '../postgres/traffic-sums';
import type { Connection } from './connection';
import { countDays } from './counted-days';
import { countedOnce } from './counted-once';
import { ch, inIds, NONE, number, raw, uuid } from './statement';
import { rollupRows } from './visible-rows';

type Counted = {
  at_s: number;
  source: string;
  destination: string;
  decision: string;
  bytes: number;
  packets: number;
  flows: number;
};

const COLUMNS = {
  at: 'timestamptz',
  source: 'uuid',
  destination: 'uuid',
  decision: 'text',
  bytes: 'bigint',
  packets: 'bigint',
  flows: 'bigint',
} as const;

const MAX = Number.MAX_SAFE_INTEGER;
const orNull = (id: string): string | null => (id === NONE ? null : id);

/** Traffic of one hour of a cluster by bucket, workloads and verdict: what counts once. Null: none. */
async function countHour(connection: Connection, tx: Tx, clusterId: string, hourAt: string, seconds: SumSeconds) {
  const since = Date.parse(hourAt);
  const known = await tx.execute<{ id: string }>(sql`select id from ${nodes} where cluster_id = ${clusterId}::uuid`);
  const ids = known.map(({ id }) => id);
  const rows = rollupRows(seconds === SUM_SECONDS.fine ? 'minutes' : 'hours', [{ since, until: since + HOUR_MS }], []);
  const found = await connection.read<Counted>(ch`
    select intDiv(toUnixTimestamp(t.bucket_at), ${number(seconds)}) * ${number(seconds)} as at_s, t.source_workload_id as source,
      t.destination_workload_id as destination, t.decision as decision, sum(t.bytes) as bytes, sum(t.packets) as packets, sum(t.flows) as flows
    from (${countedOnce(ch`select t.* from ${rows} as t where t.cluster_id = ${uuid(clusterId)} and ${inIds(raw('t.node_id'), ids)}`)}) as t
    where t.counted group by at_s, t.source_workload_id, t.destination_workload_id, t.decision`);
  const counted = found.map(({ at_s, source, destination, bytes, packets, flows, ...row }) => ({
    ...{ at: new Date(at_s * 1000).toISOString(), source: orNull(source), destination: orNull(destination), ...row },
    ...{ bytes: Math.min(bytes, MAX), packets: Math.min(packets, MAX), flows: Math.min(flows, MAX) },
  }));
  if (counted.length === 0) {
    return sql`select null::timestamptz as at, null::uuid as source, null::uuid as destination, ''::text as decision, 0::bigint as bytes,
      0::bigint as packets, 0::bigint as flows where false`;
  }
  return sql`select c.* from ${unnestRows(COLUMNS, 'at', counted)} as c`;
}

/** Totals by workload and tenant are small and change in place: they are in PostgreSQL, made from what ClickHouse has of an hour. */
export const sumTraffic = (connection: Connection): FlowUpkeep['sum'] =>
  makeSums(
    async (tx, { cluster_id, hour_at }, isOld) => {
      const count = (seconds: SumSeconds) => countHour(connection, tx, cluster_id, hour_at, seconds);
      if (isOld) {
        return recomputeHourFromRollups(tx, cluster_id, hour_at, await count(SUM_SECONDS.hour));
      }
      await recomputeFiveMinutes(tx, cluster_id, hour_at, await count(SUM_SECONDS.fine));
      await recomputeHour(tx, cluster_id, hour_at);
    },
    (hasTime) => countDays(connection, hasTime),
  );
