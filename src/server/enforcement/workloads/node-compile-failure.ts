import type { Node } from '@/domain/inventory';
import type { NodeRow } from '../../inventory/queries/nodes';
import type { FailingNode } from '../guest-firewall/failing-nodes';

/** The node with what keeps its firewall from being compiled. */
export function withCompileFailure(node: NodeRow, failing: readonly FailingNode[]): Node {
  const found = failing.find(({ node_id }) => node_id === node.id);
  if (!found) return { ...node, compile_failure: null };
  const { since, message, agent_evidence, failures } = found;
  return { ...node, compile_failure: { since, message, agent_evidence, failures } };
}
