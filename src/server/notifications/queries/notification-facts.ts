import { and, asc, eq, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Condition } from '@/domain/notifications/condition';
import type { Executor } from '../../db/client';
import { clusters, nodeAgents, nodes, type TokenReplacement } from '../../db/schema/clusters';
import { notificationIncidents } from '../../db/schema/notifications';

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

/** Nodes of clusters with an agent that is stale, has not reported since its enrollment, or not since a time: of their traffic nothing is known. */
export function listUnobservedNodes(
  executor: Executor,
  since: string,
): Promise<{ node_id: string; cluster_id: string; node_name: string; awaited: boolean }[]> {
  return executor
    .select({
      node_id: nodes.id,
      cluster_id: nodes.cluster_id,
      node_name: nodes.name,
      awaited: sql<boolean>`${nodeAgents.status} = 'pending'`,
    })
    .from(nodeAgents)
    .innerJoin(nodes, eq(nodes.id, nodeAgents.node_id))
    .where(
      and(
        isNull(nodes.missing_since),
        or(inArray(nodeAgents.status, ['silent', 'pending']), lt(nodeAgents.last_heartbeat_at, since)),
      ),
    )
    .orderBy(asc(nodes.id));
}

/** What incidents of a condition that are not closed are about, in any rule. */
export function listActiveObjects(
  executor: Executor,
  condition: Condition,
): Promise<{ key: string; object_id: string | null }[]> {
  return executor
    .selectDistinct({ key: notificationIncidents.key, object_id: notificationIncidents.object_id })
    .from(notificationIncidents)
    .where(and(eq(notificationIncidents.condition, condition), ne(notificationIncidents.status, 'closed')));
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
