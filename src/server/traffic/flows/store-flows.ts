import type { Tx } from '../../db/client';
import { findReportedFlows, upsertFlows } from '../storage/postgres/flows';
import { addToMinutes } from '../storage/postgres/minutes';
import { addUnresolvedParts } from '../storage/postgres/unresolved-minutes';
import { addCounters, isUndecided } from './add-counters';
import type { JudgedFlow } from './judge-flows';
import { rollUp } from './roll-up';

/**
 * Stores confirmed flows of a node and adds what is new to all sums. The agent of the node must be locked.
 * @param flows each identity once, sorted by key
 * @returns how many flows were new
 */
export async function storeFlows(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  flows: readonly JudgedFlow[],
  now: string,
): Promise<number> {
  const stored = await findReportedFlows(
    tx,
    node.node_id,
    flows.filter(isUndecided).map((flow) => flow.record.flow_key),
  );
  addCounters(flows, stored);
  const inserted = await upsertFlows(
    tx,
    node,
    flows.map((flow) => flow.record),
    now,
  );
  const { sums, parts } = rollUp(flows, inserted);
  await addToMinutes(tx, node, sums);
  await addUnresolvedParts(tx, node.node_id, parts);
  return inserted.size;
}
