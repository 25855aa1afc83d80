import { iptablesNodeSteps } from './node-iptables-chain';
import { nftablesNodeSteps } from './node-nftables-chain';
import { mergeAlternatives, mergeInSeries, type Outcome, settle, toAcceptVerdict, unknown } from './node-steps';
import type { NodeVerdict } from './node-verdict';
import type { Packet } from './packet';
import type { PreparedNodeChain, PreparedNodeFilter } from './prepare-node-filter';

/** Through the node's own chain, and the firewall of a VNet that is between the node and the other end. */
function evaluateNodeChain(chain: PreparedNodeChain, packet: Packet): Outcome {
  if (chain.implementation === 'iptables') return settle(iptablesNodeSteps(chain, packet));
  const own = settle(nftablesNodeSteps(chain, packet));
  const crossing = chain.crossings?.through(packet);
  if (!crossing) return own;
  return packet.direction === 'in' ? mergeInSeries(crossing, own, own) : mergeInSeries(own, crossing, own);
}

/**
 * What a node does with a packet of its own: one to the node itself (`in`) or from it (`out`), over a network, not over its
 * loopback interface. Rules of the node come first, then those of the data center. Rules with an interface are undecided,
 * because a packet here has none.
 */
export function evaluateNode(filter: PreparedNodeFilter, packet: Packet): NodeVerdict {
  const { cluster_enabled, node_enabled, chains } = filter;
  if (cluster_enabled === false) return toAcceptVerdict({ kind: 'not_enforced', reason: 'cluster_firewall_off' });
  if (packet.state === 'established' || packet.state === 'related') {
    return toAcceptVerdict({ kind: 'builtin', name: 'established' });
  }
  if (filter.compile_doubt) return unknown(filter.compile_doubt);
  if (node_enabled === false) return toAcceptVerdict({ kind: 'not_enforced', reason: 'node_firewall_off' });
  const [first, ...others] = chains;
  const found = mergeAlternatives(
    [evaluateNodeChain(first, packet), ...others.map((chain) => evaluateNodeChain(chain, packet))],
    'unknown_implementation',
  ).verdict;
  if (found.verdict === 'accept') return found;
  if (cluster_enabled === null) return unknown('unknown_cluster_firewall');
  return node_enabled === null && found.verdict !== 'unknown' ? unknown('unknown_node_options') : found;
}
