import type { Node, NodeListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../inventory/queries/nodes';
import { listFailingNodes } from '../guest-firewall/failing-nodes';
import { withCompileFailure } from './node-compile-failure';

/** One page of the nodes of all clusters. */
export async function listNodes(_scope: Scope<'cluster:read'>, input: NodeListInput): Promise<Page<Node>> {
  const failing = await listFailingNodes();
  const ids = failing.map(({ node_id }) => node_id);
  const page = await repository.listNodes(input, ids);
  return { ...page, items: page.items.map((node) => withCompileFailure(node, failing)) };
}
