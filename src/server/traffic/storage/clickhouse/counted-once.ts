import { TWO_GUESTS } from './flow-direction';
import { ch, type Part, raw } from './statement';

/*
 * The one definition of traffic. A conversation between two known guests may be reported by several nodes; in each hour by
 * the clock the report of the node that saw the most of it counts, in all its minutes, and the others do not. With an
 * unknown end no other node can have seen it, so every report counts.
 */

/** Of UUIDs the order of their text, as everywhere. */
const NODE = 'toString(t.node_id)';

/** Of numbers that JavaScript can hold. */
const BITS = 53;
const NODE_BITS = 256 - 3 * BITS;

/**
 * SQL by which the report of an hour that counts is the largest: bytes, then packets, then flows, then the node that sorts first. One
 * number, because comparing tuples takes several times as long as all else.
 */
function rankReport([bytes, packets, flows]: readonly [string, string, string], node: string): string {
  const shifted = (of: string, bits: number) => `bitShiftLeft(toUInt256(greatest(${of}, 0)), ${bits})`;
  const counters = [bytes, packets, flows].map((of, i) => shifted(of, NODE_BITS + (2 - i) * BITS));
  const byNode = `toUInt256(bitShiftRight(bitNot(toUInt128(${node})), ${128 - NODE_BITS}))`;
  return `bitOr(bitOr(${counters[0]}, ${counters[1]}), bitOr(${counters[2]}, ${byNode}))`;
}

const REPORT = 't.hour, t.cluster_id, t.rollup_key, t.node_id';
const RANK = rankReport(['t.node_bytes', 't.node_packets', 't.node_flows'], 't.node_id');

/**
 * The reports of an hour that do not count, as their keys: they are few. A window over all rows would sort them, which takes several
 * times as long as all else.
 */
const outdone = (rows: Part): Part => ch`
  select n.hour, n.cluster_id, n.rollup_key, arrayJoin(arrayFilter(node -> node <> n.best, n.nodes)) as node_id
  from (
    select t.hour as hour, t.cluster_id as cluster_id, t.rollup_key as rollup_key, groupArray(t.node_id) as nodes,
      argMax(t.node_id, ${raw(RANK)}) as best
    from (
      select toStartOfHour(t.bucket_at) as hour, t.cluster_id as cluster_id, t.rollup_key as rollup_key, t.node_id as node_id,
        ${raw(['bytes', 'packets', 'flows'].map((name) => `sum(t.${name}) as node_${name}`).join(', '))}
      from (${rows}) as t where ${raw(TWO_GUESTS)} group by hour, t.cluster_id, t.rollup_key, t.node_id) as t
    group by t.hour, t.cluster_id, t.rollup_key having count() > 1) as n`;

/**
 * Adds to rows of rollups whether they count (`counted`). The rows must hold whole hours, and of what has one `rollup_key` all
 * that the reader means or nothing.
 */
export function countedOnce(rows: Part): Part {
  return ch`
    select t.*, not ${raw(TWO_GUESTS)} or (${raw(REPORT)}) not in (${outdone(rows)}) as counted
    from (select t.*, toStartOfHour(t.bucket_at) as hour from (${rows}) as t) as t`;
}

/** The same for single flows, of which only totals are known: of the rows of one flow the one with the most counts. */
export function flowsCountedOnce(rows: Part): Part {
  return ch`
    select t.*, not ${raw(TWO_GUESTS)} or row_number() over (partition by t.conversation_id, t.forward, t.decision, ${raw(TWO_GUESTS)}
      order by t.bytes desc nulls last, t.packets desc nulls last, t.observed_at desc, ${raw(NODE)}) = 1 as counted
    from (${rows}) as t`;
}
