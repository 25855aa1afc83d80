import type { Node, NodeListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../inventory/queries/nodes';
import { findNode, type NodeRow } from '../../inventory/queries/nodes';
import { notFound } from '../../lib/refusals';
import { type FailingNode, listFailingNodes } from '../guest-firewall/failing-nodes';

/** The node with what keeps its firewall from being compiled. */
export function withCompileFailure(node: NodeRow, failing: readonly FailingNode[]): Node {
  const found = failing.find(({ node_id }) => node_id === node.id);
  if (!found) return { ...node, compile_failure: null };
  const { since, message, agent_evidence, failures } = found;
  return { ...node, compile_failure: { since, message, agent_evidence, failures } };
}

/** One page of the nodes of all clusters. */
export async function listNodes(_scope: Scope<'cluster:read'>, input: NodeListInput): Promise<Page<Node>> {
  const failing = await listFailingNodes();
  const ids = failing.map(({ node_id }) => node_id);
  const page = await repository.listNodes(input, ids);
  return { ...page, items: page.items.map((node) => withCompileFailure(node, failing)) };
}

/** @throws AppError `not_found` */
export async function readNode(_scope: Scope<'cluster:read'>, id: string): Promise<Node> {
  const node = await findNode(id);
  if (!node) throw notFound('node');
  return withCompileFailure(node, await listFailingNodes());
}
