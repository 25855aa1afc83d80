import { and, eq, ilike, inArray, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm';
import type { Node, NodeListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import { db } from '../db/client';
import { clusters, nodeAgents, nodes } from '../db/schema/clusters';
import { workloads } from '../db/schema/workloads';
import { likePattern } from './like-pattern';
import { pageOfRows, type SortKeys } from './page-of-rows';

/** As stored; what keeps its firewall from being compiled is known from readings. */
export type NodeRow = Omit<Node, 'compile_failure'>;

const workloadsOf = sql`from ${workloads} where ${eq(workloads.node_id, nodes.id)}`;

const columns = {
  id: nodes.id,
  cluster_id: nodes.cluster_id,
  cluster_name: clusters.name,
  name: nodes.name,
  status: nodes.status,
  address: nodes.address,
  provider_version: nodes.provider_version,
  nftables: nodes.nftables,
  cpu_count: nodes.cpu_count,
  memory_bytes: nodes.memory_bytes,
  started_at: nodes.started_at,
  fault: nodes.fault,
  missing_since: nodes.missing_since,
  agent_status: nodeAgents.status,
  last_heartbeat_at: nodeAgents.last_heartbeat_at,
  workloads_total: sql<number>`(select count(*)::int ${workloadsOf})`,
  workloads_running: sql<number>`(select count(*)::int ${workloadsOf} and ${workloads.status} = 'running')`,
  created_at: nodes.created_at,
  updated_at: nodes.updated_at,
};

const SORTS: SortKeys = {
  name: { column: nodes.name },
  cluster_name: { column: clusters.name },
  status: { column: nodes.status },
  cpu_count: { column: nodes.cpu_count, nullable: true },
  memory_bytes: { column: nodes.memory_bytes, nullable: true },
  started_at: { column: nodes.started_at, nullable: true },
};

const select = () =>
  db
    .select(columns)
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .$dynamic();

const given = (wanted: boolean | undefined, column: typeof nodes.missing_since) =>
  wanted === undefined ? undefined : wanted ? isNotNull(column) : isNull(column);

/** A fault that the sync found, or a firewall that cannot be compiled. */
const faulty = (failing: readonly string[]): SQL =>
  sql`(${isNotNull(nodes.fault)} or ${inArray(nodes.id, [...failing])})`;

/** Nodes page by page. Two queries. @param failing ids of nodes whose firewall cannot be compiled */
export async function listNodes(input: NodeListInput, failing: readonly string[]): Promise<Page<NodeRow>> {
  const pattern = input.q ? likePattern(input.q) : undefined;
  const conditions: (SQL | undefined)[] = [
    input.cluster_id === undefined ? undefined : eq(nodes.cluster_id, input.cluster_id),
    input.status === undefined ? undefined : eq(nodes.status, input.status),
    input.faulty === undefined ? undefined : input.faulty ? faulty(failing) : not(faulty(failing)),
    given(input.missing, nodes.missing_since),
    pattern === undefined ? undefined : or(ilike(nodes.name, pattern), sql`host(${nodes.address}) like ${pattern}`),
  ];
  return pageOfRows<NodeRow>(input, { sorts: SORTS, sort: 'name', id: nodes.id }, (paging) => ({
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
