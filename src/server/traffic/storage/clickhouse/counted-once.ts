import { TWO_GUESTS } from './flow-direction';
import { ch, type Part, raw } from './statement';

/*
 * The one definition of traffic. A conversation between two known guests may be reported by several nodes; in each hour by
 * the clock the report of the node that saw the most of it counts, in all its minutes, and the others do not. With an
 * unknown end no other node can have seen it, so every report counts.
 */

/** Of UUIDs the order of their text, as everywhere. */
const NODE = 'toString(t.node_id)';

/**
 * Adds to rows of rollups whether they count (`counted`). The rows must hold whole hours, and of what has one `rollup_key` all
 * that the reader means or nothing.
 */
export function countedOnce(rows: Part): Part {
  return ch`
    select t.*, not ${raw(TWO_GUESTS)} or t.node_id = first_value(t.node_id) over (partition by t.hour, t.cluster_id, t.rollup_key
      order by t.node_bytes desc, t.node_packets desc, t.node_flows desc, ${raw(NODE)}) as counted
    from (
      select t.*, toStartOfHour(t.bucket_at) as hour, sum(t.bytes) over w as node_bytes, sum(t.packets) over w as node_packets,
        sum(t.flows) over w as node_flows
      from (${rows}) as t
      window w as (partition by toStartOfHour(t.bucket_at), t.cluster_id, t.rollup_key, t.node_id)) as t`;
}

/** The same for single flows, of which only totals are known: of the rows of one flow the one with the most counts. */
export function flowsCountedOnce(rows: Part): Part {
  return ch`
    select t.*, not ${raw(TWO_GUESTS)} or row_number() over (partition by t.conversation_id, t.forward, t.decision, ${raw(TWO_GUESTS)}
      order by t.bytes desc nulls last, t.packets desc nulls last, t.observed_at desc, ${raw(NODE)}) = 1 as counted
    from (${rows}) as t`;
}
