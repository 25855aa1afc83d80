import type { Pages } from '../../../db/aged-rows';
import { db } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import { fillFlow, findSubnets } from '../fill-ends';
import type { EndResolver, Learned } from '../flow-rows';
import type { FlowUpkeep } from '../flow-store';
import { fillMinutes } from './fill-minutes';
import {
  countPages,
  END_TABLES,
  type EndTable,
  type ExternalRollup,
  fillFlowEnds,
  listExternalRollups,
  listUnresolvedFlows,
  moveRollups,
  type RollupMove,
  type RollupTable,
} from './flow-ends';
import { lockNode, lockTrafficSums } from './hours-to-sum';
import { fillCounters } from './interface-counters';
import { rollupKey } from './minutes';
import { moveParts, type PartPosition } from './unresolved-minutes';

const CHUNK_PAGES = 256;
/** Beyond so many networks, comparing each flow with all of them costs more than a lookup of its ends. */
const MAX_NETWORKS = 200;

async function fillFlows(resolver: EndResolver, pages: Pages, learned: Learned | null): Promise<number> {
  const filled = (await listUnresolvedFlows(db, pages, learned)).flatMap((flow) => {
    const ends = fillFlow(resolver, flow);
    return ends ? [{ node_id: flow.node_id, flow_key: flow.flow_key, ...ends }] : [];
  });
  let total = 0;
  for (const [node_id, rows] of groupBy(filled, (row) => row.node_id)) {
    total += await db.transaction(async (tx) => {
      await lockNode(tx, node_id);
      return fillFlowEnds(tx, node_id, rows);
    });
  }
  return total;
}

function planMoves(resolver: EndResolver, row: ExternalRollup): RollupMove[] {
  const { node_id: _, bucket_at, rollup_key: old_key, ...identity } = row;
  const ends = findSubnets(resolver, identity);
  return ends ? [{ old_key, bucket_at, rollup_key: rollupKey({ ...identity, ...ends }), ...ends }] : [];
}

async function moveSums(
  resolver: EndResolver,
  name: RollupTable,
  pages: Pages,
  networks: readonly string[],
): Promise<number> {
  const rows = networks.length === 0 ? [] : await listExternalRollups(db, name, pages, networks);
  let total = 0;
  for (const [node_id, ofNode] of groupBy(rows, (row) => row.node_id)) {
    const moves = ofNode.flatMap((row) => planMoves(resolver, row));
    if (moves.length === 0) continue;
    total += await db.transaction(async (tx) => {
      await lockTrafficSums(tx);
      await lockNode(tx, node_id);
      if (name === 'flow_rollup_minutes') await moveParts(tx, node_id, moves);
      return moveRollups(tx, name, node_id, moves);
    });
  }
  return total;
}

async function fillPages(resolver: EndResolver, name: EndTable, page: number, learned: Learned | null) {
  const pages = { from: page, to: page + CHUNK_PAGES };
  if (name !== 'traffic_flows')
    return moveSums(resolver, name, pages, resolver.subnetsAmong(learned?.networks ?? null));
  return fillFlows(resolver, pages, learned && learned.networks.length <= MAX_NETWORKS ? learned : null);
}

/** Pages of all tables that carry ends, one table after the other, then the parts of minutes that came from flows. */
type Position = { table: number; page: number; part: PartPosition | null };

/** Interface counters first, then the tables page by page. */
export const resolveEnds: FlowUpkeep['resolveEnds'] = async (resolver, learned, position) => {
  const from = (position ?? { table: 0, page: 0, part: null }) as Position;
  let { table, page } = from;
  let filled = position === null ? await fillCounters(resolver, learned?.vmids ?? null) : 0;
  for (let name = END_TABLES[table]; name !== undefined; name = END_TABLES[table]) {
    if (page < (await countPages(db, name))) {
      filled += await fillPages(resolver, name, page, learned);
      return { position: { table, page: page + CHUNK_PAGES, part: null }, filled };
    }
    table += 1;
    page = 0;
  }
  const { last, moved } = await fillMinutes(resolver, from.part);
  filled += moved;
  return { position: last && { table, page, part: last }, filled };
};
