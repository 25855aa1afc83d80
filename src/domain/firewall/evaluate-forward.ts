import { trackedState } from './connection-state';
import { compileDoubt } from './enforcement';
import { evaluateForwardChain, type ForwardChain, routedChain, vnetChain } from './forward-chain';
import { evaluateTracking } from './front-chain';
import { type FilterImplementation, findLiveNode, type LiveCluster, type LiveVnet } from './live-state';
import { possibleImplementations } from './node-options';
import {
  mergeAlternatives,
  type Outcome,
  type Step,
  settle,
  sharedSteps,
  toAcceptVerdict,
  toStep,
  unknown,
} from './node-steps';
import type { NodeVerdict } from './node-verdict';
import type { Packet } from './packet';
import { prepareNode } from './prepare-node';

/** The way of a forwarded packet: bridged within a VNet on the node, or (null) routed by the node. */
export type ForwardPath = { readonly node: string; readonly vnet: string | null };

/** A packet that is forwarded: for nothing on its way it is inbound or outbound. */
export type ForwardedPacket = Omit<Packet, 'direction'>;

/** The filter of one way through a node, ready for `evaluateForward`. Null: could not be read. */
export type PreparedForwardFilter = {
  readonly cluster_enabled: boolean | null;
  readonly compile_doubt: ReturnType<typeof compileDoubt>;
  readonly implementations: readonly [FilterImplementation, ...FilterImplementation[]];
  /** Of the iptables implementation, which drops what is invalid and enforces no forward rule. */
  readonly drop_invalid: boolean | null;
  /** Of the nftables implementation. */
  readonly chain: ForwardChain;
};

const NOT_READ: LiveVnet = { options: null, rules: null };
const WITHOUT_FIREWALL: LiveVnet = { options: {}, rules: [] };

/** Compiles what was read for packets on one way through a node. */
export function prepareForwardFilter(cluster: LiveCluster, { node: name, vnet }: ForwardPath): PreparedForwardFilter {
  const node = findLiveNode(cluster, name);
  const { vnets } = cluster;
  const read = vnets && vnet !== null && Object.hasOwn(vnets, vnet) ? vnets[vnet] : undefined;
  const stored = read ?? (vnets ? WITHOUT_FIREWALL : NOT_READ);
  return {
    cluster_enabled: cluster.firewall_enabled,
    compile_doubt: compileDoubt(node),
    implementations: possibleImplementations(node),
    drop_invalid: prepareNode(node, 'iptables').drop_invalid,
    chain: vnet === null ? routedChain(cluster, node) : vnetChain(cluster, vnet, stored, node),
  };
}

function* iptablesSteps(drop_invalid: boolean | null, packet: Packet): Generator<Step> {
  yield* sharedSteps((possible) => evaluateTracking(trackedState(packet), drop_invalid, possible));
  yield toStep('accept', { kind: 'not_enforced', reason: 'iptables_node' });
}

/**
 * What a node does with a packet that it forwards. With nftables, the rules and the default policy of a VNet apply to
 * what is bridged there, those of the node and the data center to what the node routes. Filters of guests at either
 * end are not part of it.
 */
export function evaluateForward(filter: PreparedForwardFilter, forwarded: ForwardedPacket): NodeVerdict {
  const { cluster_enabled, implementations } = filter;
  if (cluster_enabled === false) return toAcceptVerdict({ kind: 'not_enforced', reason: 'cluster_firewall_off' });
  if (forwarded.state === 'established' || forwarded.state === 'related') {
    return toAcceptVerdict({ kind: 'builtin', name: 'established' });
  }
  if (filter.compile_doubt) return unknown(filter.compile_doubt);
  const packet: Packet = { ...forwarded, direction: 'in' };
  const evaluateImplementation = (implementation: FilterImplementation): Outcome =>
    implementation === 'nftables'
      ? evaluateForwardChain(filter.chain, packet)
      : settle(iptablesSteps(filter.drop_invalid, packet));
  const [first, ...others] = implementations;
  const { verdict } = mergeAlternatives(
    [evaluateImplementation(first), ...others.map(evaluateImplementation)],
    'unknown_implementation',
  );
  return verdict.verdict === 'accept' || cluster_enabled ? verdict : unknown('unknown_cluster_firewall');
}
