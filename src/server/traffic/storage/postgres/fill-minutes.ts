import { db, type Tx } from '../../../db/client';
import { fillPart } from '../fill-ends';
import type { EndResolver } from '../flow-rows';
import { lockNode, lockTrafficSums } from './hours-to-sum';
import { addToMinutes, type RollupRecord, rollupKey } from './minutes';
import {
  addUnresolvedParts,
  listResolvedParts,
  type PartPosition,
  type ResolvedPart,
  readParts,
  subtractParts,
  type UnresolvedPart,
} from './unresolved-minutes';

/** Parts of one step. */
const CHUNK_PARTS = 5_000;

const COUNTERS = ['bytes', 'packets', 'flows'] as const;

type Counters = Pick<UnresolvedPart, (typeof COUNTERS)[number]>;

/** What a part takes from what is left of its minute: a sum that was capped holds less than its parts together. */
function allocateCounters(part: ResolvedPart, left: Counters): Counters {
  const taken = { bytes: 0, packets: 0, flows: 0 };
  for (const name of COUNTERS) {
    taken[name] = Math.min(part[name], left[name]);
    left[name] -= taken[name];
  }
  return taken;
}

const toPartKey = (row: { bucket_at: string; rollup_key: string; flow_key?: string }) =>
  `${row.bucket_at} ${row.rollup_key} ${row.flow_key ?? ''}`;

const sorted = <T extends Parameters<typeof toPartKey>[0]>(rows: Iterable<T>): T[] =>
  [...rows].sort((a, b) => (toPartKey(a) < toPartKey(b) ? -1 : 1));

/** Moves parts of a node from the minutes without a workload to those with it. Their sum stays the same. */
async function fillNode(
  tx: Tx,
  resolver: EndResolver,
  node_id: string,
  range: { after: PartPosition | null; last: PartPosition },
): Promise<number> {
  await lockTrafficSums(tx);
  await lockNode(tx, node_id);
  const parts = await listResolvedParts(tx, node_id, range.after, range.last);
  const cluster_id = parts[0]?.flow.cluster_id ?? '';
  const taken: UnresolvedPart[] = [];
  const open: UnresolvedPart[] = [];
  const left = new Map<string, Counters>();
  const sums = new Map<string, RollupRecord>();
  for (const part of parts) {
    const filled = fillPart(part, resolver);
    if (!filled) continue;
    const { bucket_at, flow_key, minute } = part;
    const { bytes, packets, flows, ...before } = minute;
    const from = `${bucket_at} ${part.rollup_key}`;
    left.set(from, left.get(from) ?? { bytes, packets, flows });
    const counters = allocateCounters(part, left.get(from) as Counters);
    taken.push({ bucket_at, rollup_key: part.rollup_key, flow_key, ...counters });
    const identity = { ...before, ...filled.ends };
    const rollup_key = rollupKey(identity);
    const sum = sums.get(`${bucket_at} ${rollup_key}`) ?? {
      ...{ bucket_at, rollup_key, ...identity },
      ...{ bytes: 0, packets: 0, flows: 0 },
    };
    for (const name of COUNTERS) sum[name] = Math.min(sum[name] + counters[name], Number.MAX_SAFE_INTEGER);
    sums.set(`${bucket_at} ${rollup_key}`, sum);
    if (filled.is_resolvable) open.push({ bucket_at, rollup_key, flow_key, ...counters });
  }
  if (taken.length === 0) return 0;
  await subtractParts(tx, node_id, taken);
  await addToMinutes(tx, { node_id, cluster_id }, sorted(sums.values()));
  await addUnresolvedParts(tx, node_id, sorted(open));
  return taken.length;
}

/**
 * Fills in workloads of minutes that became known after they were stored, exactly: each flow moves what it had added. One
 * step of a walk through all parts.
 * @param after where the step before ended
 * @returns where this one ended (null: nothing is left), and how many parts were moved
 */
export async function fillMinutes(
  resolver: EndResolver,
  after: PartPosition | null,
): Promise<{ last: PartPosition | null; moved: number }> {
  const { last, node_ids } = await readParts(db, after, CHUNK_PARTS);
  let moved = 0;
  if (last === null) return { last, moved };
  for (const node_id of node_ids) {
    moved += await db.transaction((tx) => fillNode(tx, resolver, node_id, { after, last }));
  }
  return { last, moved };
}
