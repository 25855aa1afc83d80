import { listFailingNodes } from '../../enforcement/guest-firewall/failing-nodes';
import type { Collector } from './collector';

/** Nodes whose stored firewall cannot be compiled, from what was last read; no cluster is asked. */
export const failingNodes: Collector = async () => ({
  facts: (await listFailingNodes()).map(({ node_id, node_name, message }) => ({
    condition: 'node_firewall_not_compiling',
    key: node_id,
    object_kind: 'node',
    object_id: node_id,
    object_name: node_name,
    detail: message,
  })),
});
