import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { clusters, nodeAgents, nodes, type TokenReplacement } from '../../db/schema/clusters';

/** Clusters whose last sync that ended failed; one that is on its way again has not succeeded yet. */
export function listFailedSyncs(
  executor: Executor,
): Promise<{ cluster_id: string; cluster_name: string; last_sync_error: string | null }[]> {
  return executor
    .select({ cluster_id: clusters.id, cluster_name: clusters.name, last_sync_error: clusters.last_sync_error })
    .from(clusters)
    .where(
      or(
        eq(clusters.sync_status, 'failed'),
        and(inArray(clusters.sync_status, ['queued', 'running']), isNotNull(clusters.last_sync_error)),
      ),
    )
    .orderBy(asc(clusters.id));
}

/** Nodes whose agent is stale; nodes that left their cluster have no agent that could report. */
export function listSilentAgents(
  executor: Executor,
): Promise<{ node_id: string; node_name: string; cluster_name: string; last_heartbeat_at: string | null }[]> {
  return executor
    .select({
      node_id: nodes.id,
      node_name: nodes.name,
      cluster_name: clusters.name,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
    })
    .from(nodeAgents)
    .innerJoin(nodes, eq(nodes.id, nodeAgents.node_id))
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .where(and(eq(nodeAgents.status, 'silent'), isNull(nodes.missing_since)))
    .orderBy(asc(nodes.id));
}

/** Nodes whose token was replaced since a time while their agent reported. */
export async function listReplacedTokens(
  executor: Executor,
  since: string,
): Promise<{ node_id: string; node_name: string; token_replacement: TokenReplacement }[]> {
  const rows = await executor
    .select({ node_id: nodes.id, node_name: nodes.name, token_replacement: nodeAgents.token_replacement })
    .from(nodeAgents)
    .innerJoin(nodes, eq(nodes.id, nodeAgents.node_id))
    .where(sql`${nodeAgents.token_replacement}->>'at' >= ${since}`)
    .orderBy(asc(nodes.id));
  return rows.flatMap(({ token_replacement, ...row }) => (token_replacement ? [{ ...row, token_replacement }] : []));
}
