import { and, eq, inArray, isNotNull, not, type SQL, sql } from 'drizzle-orm';
import { NODE_SORTS } from '@/domain/choices';
import { Node, type NodeListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import { db, type Executor } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, isSet, selectColumns } from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { clusters, nodeAgents, nodes } from '../../db/schema/clusters';
import { workloads } from '../../db/schema/workloads';

/** As stored; what keeps its firewall from being compiled is known from readings. */
export type NodeRow = Omit<Node, 'compile_failure'>;

const workloadsOf = sql`from ${workloads} where ${eq(workloads.node_id, nodes.id)}`;

const StoredNode = Node.omit({ compile_failure: true });
const columns = selectColumns(StoredNode, nodes, {
  cluster_name: clusters.name,
  agent_status: nodeAgents.status,
  last_heartbeat_at: nodeAgents.last_heartbeat_at,
  workloads_total: sql<number>`(select count(*)::int ${workloadsOf})`,
  workloads_running: sql<number>`(select count(*)::int ${workloadsOf} and ${workloads.status} = 'running')`,
});
const SORTS = {
  ...buildSortKeys(StoredNode, NODE_SORTS, columns),
  name: keyOrder(nodes.sort_name, 'name'),
  cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
};

const select = () =>
  db
    .select(columns)
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .$dynamic();

/** A fault that the sync found, or a firewall that cannot be compiled. */
const faulty = (failing: readonly string[]): SQL =>
  sql`(${isNotNull(nodes.fault)} or ${inArray(nodes.id, [...failing])})`;

const searchCondition = (text: string): SQL | undefined =>
  hasText(nodes.name, sql`host(${nodes.address})`, hasName(nodes.cluster_id, clusters))(text);

/** Nodes page by page. Two queries. @param failing ids of nodes whose firewall cannot be compiled */
export async function listNodes(input: NodeListInput, failing: readonly string[]): Promise<Page<NodeRow>> {
  const conditions = buildConditions(input, nodes, {
    q: searchCondition,
    faulty: (requested) => (requested ? faulty(failing) : not(faulty(failing))),
    missing: isSet(nodes.missing_since),
  });
  return queryPage<NodeRow>(input, { sorts: SORTS, sort: 'name', id: nodes.id }, (paging) => ({
    rows: select()
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(nodes, and(...conditions)),
  }));
}

export async function findNode(id: string): Promise<NodeRow | null> {
  const [row] = await select().where(eq(nodes.id, id));
  return row ?? null;
}

/** What the agents of the clusters' nodes last said about the packet filter; null without an agent. One query. */
export function listNodeRulesets(executor: Executor, clusterIds: readonly string[]) {
  return executor
    .select({
      node_id: nodes.id,
      cluster_id: nodes.cluster_id,
      name: nodes.name,
      agent_status: nodeAgents.status,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      nftables_ruleset_hash: nodeAgents.nftables_ruleset_hash,
      ruleset_changed_at: nodeAgents.ruleset_changed_at,
      service_running: sql<boolean | null>`(${nodeAgents.firewall_status} ->> 'service_running')::boolean`,
    })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(inArray(nodes.cluster_id, [...clusterIds]));
}
