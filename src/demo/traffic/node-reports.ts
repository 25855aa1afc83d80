import type { Flow } from '@fabric/agent-contract';
import type { ClustersView } from './clusters-view';
import { type NodeTotals, sumFlowTotals } from './interface-totals';
import { buildSeenFlows, type SeenFlow } from './node-flows';
import { buildSessions, type Slots } from './sessions';

/** What one node saw in some slots. */
export type NodeReport = { flows: Flow[]; moved: NodeTotals };

const toFlowKey = ({ source_ip, destination_ip, protocol, source_port, destination_port, decision }: Flow) =>
  `${source_ip} ${destination_ip} ${protocol} ${source_port} ${destination_port} ${decision}`;

/** Each identity once: the later report with what both add. */
function mergeFlows(flows: readonly SeenFlow[]): Flow[] {
  const byIdentity = new Map<string, Flow>();
  for (const { flow } of flows) {
    const key = toFlowKey(flow);
    const other = byIdentity.get(key);
    if (!other) {
      byIdentity.set(key, flow);
      continue;
    }
    const later = flow.observed_at >= other.observed_at ? flow : other;
    byIdentity.set(key, {
      ...later,
      delta_bytes: (flow.delta_bytes ?? 0) + (other.delta_bytes ?? 0),
      delta_packets: (flow.delta_packets ?? 0) + (other.delta_packets ?? 0),
    });
  }
  return [...byIdentity.values()];
}

export const nodeKey = (site: string, node: string): string => `${site}/${node}`;

/**
 * What the nodes of all sites saw in some slots, by `nodeKey`. Follows from the seed, the slots and the clusters alone,
 * so it can be computed for any time and in any order.
 */
export function nodeReports(seed: number, slots: Slots, view: ClustersView): Map<string, NodeReport> {
  const byNode = new Map<string, SeenFlow[]>();
  for (const session of buildSessions(seed, slots)) {
    for (const seen of buildSeenFlows(session, slots, view)) {
      // Idle flows are not reported.
      if (seen.flow.delta_packets === 0) continue;
      const key = nodeKey(seen.site, seen.node);
      const list = byNode.get(key);
      if (list) list.push(seen);
      else byNode.set(key, [seen]);
    }
  }
  return new Map([...byNode].map(([key, flows]) => [key, { flows: mergeFlows(flows), moved: sumFlowTotals(flows) }]));
}
