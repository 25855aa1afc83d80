import type { Node, NodeListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/nodes';

/** One page of the nodes of all clusters. */
export function listNodes(_scope: Scope<'cluster:read'>, input: NodeListInput): Promise<Page<Node>> {
  return repository.listNodes(input);
}
