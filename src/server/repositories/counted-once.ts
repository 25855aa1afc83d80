import { type SQL, sql } from 'drizzle-orm';

/**
 * The one definition of traffic. A conversation between two known guests may be reported by several nodes; in each hour by
 * the clock the report of the node that saw the most of it counts, in all its minutes, and the others do not. With an
 * unknown end no other node can have seen it, so every report counts. By the hour, because minutes move into hours: whatever
 * table holds the traffic, and however a range is cut, the same reports count.
 */
const SAME_TRAFFIC = 't.cluster_id, t.rollup_key';
const HOUR = `date_trunc('hour', t.bucket_at, 'UTC')`;
const TWO_GUESTS = 't.source_workload_id is not null and t.destination_workload_id is not null';

/** What tells one report from another, and which of several is the one that counts: the first by this order. */
const MOST_FIRST = 'bytes desc, packets desc, flows desc, node_id';

/**
 * Adds to rows of rollups whether they count (`counted`). The rows must hold whole hours, and of what has one `rollup_key` all
 * that the reader means or nothing.
 * @param rows rows of `flow_rollup_minutes` and `flow_rollup_hours`, with all their columns
 */
export function countedOnce(rows: SQL): SQL {
  return sql`
    with t as materialized (${rows}),
    not_counted as (
      select hour, cluster_id, rollup_key, node_id from (
        select *, row_number() over (partition by hour, cluster_id, rollup_key order by ${sql.raw(MOST_FIRST)}) as place
        from (
          select ${sql.raw(HOUR)} as hour, ${sql.raw(SAME_TRAFFIC)}, t.node_id, sum(t.bytes) as bytes,
            sum(t.packets) as packets, sum(t.flows) as flows
          from t where ${sql.raw(TWO_GUESTS)} group by 1, 2, 3, 4) as reports) as ranked
      where place > 1)
    select t.*, n.node_id is null as counted
    from t left join not_counted as n on n.hour = ${sql.raw(HOUR)} and n.cluster_id = t.cluster_id
      and n.rollup_key = t.rollup_key and n.node_id = t.node_id`;
}

/**
 * The same for single flows, of which only totals are known: of the rows with one key the one with the most counts.
 * @param rows rows of `traffic_flows` with its identity, times and totals
 */
export function flowsCountedOnce(rows: SQL): SQL {
  return sql`
    with t as materialized (${rows}),
    not_counted as (
      select node_id, flow_key from (
        select t.node_id, t.flow_key, row_number() over (partition by t.cluster_id, t.flow_key
          order by t.bytes desc nulls last, t.packets desc nulls last, t.observed_at desc, t.node_id) as place
        from t where ${sql.raw(TWO_GUESTS)}) as ranked
      where place > 1)
    select t.*, n.node_id is null as counted
    from t left join not_counted as n on n.node_id = t.node_id and n.flow_key = t.flow_key`;
}
