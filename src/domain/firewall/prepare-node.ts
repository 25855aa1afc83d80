import { broadcastAddresses } from './broadcast-addresses';
import type { FilterImplementation, LiveNode } from './live-state';
import { effectiveNodeOptions } from './node-options';

/** What the node adds to the filter of its guests. Null: not known. */
export type PreparedNode = {
  readonly drop_invalid: boolean | null;
  readonly drop_smurfs: boolean | null;
  readonly drop_tcp_flags: boolean | null;
  readonly broadcasts: readonly bigint[] | null;
};

/** What a node adds to the filter of its guests. */
export function prepareNode(node: LiveNode | null, implementation: FilterImplementation): PreparedNode {
  const options = node?.options ? effectiveNodeOptions(node.options) : null;
  // With nftables a node that filters nothing for itself drops nothing invalid for its guests either.
  const drops = options && !options.allow_invalid && (implementation === 'iptables' || options.enable);
  return {
    drop_invalid: drops,
    drop_smurfs: options?.nosmurfs ?? null,
    drop_tcp_flags: options?.tcpflags ?? null,
    broadcasts: broadcastAddresses(node?.networks ?? null),
  };
}
