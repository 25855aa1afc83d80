import { eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { nodeAgents, nodes } from '../../db/schema/clusters';

/** What the agents of the clusters' nodes last said about the packet filter; null without an agent. One query. */
export function listNodeRulesets(executor: Executor, clusterIds: readonly string[]) {
  return executor
    .select({
      node_id: nodes.id,
      cluster_id: nodes.cluster_id,
      name: nodes.name,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      nftables_ruleset_hash: nodeAgents.nftables_ruleset_hash,
      ruleset_changed_at: nodeAgents.ruleset_changed_at,
      service_running: sql<boolean | null>`(${nodeAgents.firewall_status} ->> 'service_running')::boolean`,
    })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(inArray(nodes.cluster_id, [...clusterIds]));
}
