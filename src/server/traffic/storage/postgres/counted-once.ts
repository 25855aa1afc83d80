import { type SQL, sql } from 'drizzle-orm';

/*
 * The one definition of traffic. A conversation between two known guests may be reported by several nodes; in each hour by
 * the clock the report of the node that saw the most of it counts, in all its minutes, and the others do not. With an
 * unknown end no other node can have seen it, so every report counts. By the hour, because minutes move into hours: whatever
 * table holds the traffic, and however a range is cut, the same reports count.
 */
const HOUR = `date_trunc('hour', t.bucket_at, 'UTC')`;

const TWO_GUESTS = 't.source_workload_id is not null and t.destination_workload_id is not null';

/**
 * Adds to rows of rollups whether they count (`counted`). The rows must hold whole hours, and of what has one `rollup_key` all
 * that the reader means or nothing.
 * @param rows rows of `flow_rollup_minutes` and `flow_rollup_hours`, with all their columns
 */
export function countedOnce(rows: SQL): SQL {
  // Windows and no join: the planner knows nothing of rows from a CTE, and would compare each with each. The key comes first: sorted by
  // hour and cluster, which most rows have in common, each comparison would take longer.
  return sql`
    with t as materialized (${rows})
    select t.*, null::timestamptz as hour, null::numeric as node_bytes, null::numeric as node_packets,
      null::numeric as node_flows, true as counted
    from t where not (${sql.raw(TWO_GUESTS)})
    union all
    select r.*, r.node_id = first_value(r.node_id) over (partition by r.rollup_key, r.hour, r.cluster_id
      order by r.node_bytes desc, r.node_packets desc, r.node_flows desc, r.node_id) as counted
    from (
      select t.*, ${sql.raw(HOUR)} as hour, sum(t.bytes) over w as node_bytes, sum(t.packets) over w as node_packets,
        sum(t.flows) over w as node_flows
      from t where ${sql.raw(TWO_GUESTS)}
      window w as (partition by t.rollup_key, ${sql.raw(HOUR)}, t.cluster_id, t.node_id)) as r`;
}

/**
 * The same for single flows, of which only totals are known: of the rows with one key the one with the most counts. The key comes
 * first here, too.
 * @param rows rows of `traffic_flows` with its identity, times and totals
 */
export function flowsCountedOnce(rows: SQL): SQL {
  return sql`
    with t as materialized (${rows})
    select t.*, true as counted from t where not (${sql.raw(TWO_GUESTS)})
    union all
    select t.*, row_number() over (partition by t.flow_key, t.cluster_id
      order by t.bytes desc nulls last, t.packets desc nulls last, t.observed_at desc, t.node_id) = 1 as counted
    from t where ${sql.raw(TWO_GUESTS)}`;
}
