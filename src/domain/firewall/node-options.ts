import type { FilterImplementation, LiveNode, LiveNodeOptions } from './live-state';

/** Options of a node that affect packets, with the values that apply when nothing is stored. */
export type EffectiveNodeOptions = {
  /** Whether traffic of the node itself is filtered. */
  readonly enable: boolean;
  readonly nftables: boolean;
  readonly nosmurfs: boolean;
  readonly allow_invalid: boolean;
  readonly tcpflags: boolean;
  readonly ndp: boolean;
  readonly synflood: boolean;
  /** Of the nftables implementation: opens the ports of these protocols. */
  readonly conntrack_helpers: readonly string[];
};

const flag = (value: string | number | undefined, otherwise: boolean) =>
  value === undefined || value === '' ? otherwise : Number(value) !== 0;

/** What is enforced on a node with these stored options. */
export function effectiveNodeOptions(stored: LiveNodeOptions): EffectiveNodeOptions {
  return {
    enable: flag(stored.enable, true),
    nftables: flag(stored.nftables, false),
    nosmurfs: flag(stored.nosmurfs, true),
    allow_invalid: flag(stored.nf_conntrack_allow_invalid, false),
    tcpflags: flag(stored.tcpflags, false),
    ndp: flag(stored.ndp, true),
    synflood: flag(stored.protection_synflood, false),
    conntrack_helpers: String(stored.nf_conntrack_helpers ?? '')
      .split(',')
      .filter((name) => name !== ''),
  };
}

/** How a node filters, as far as it is known: from its options, else from what was learned elsewhere. Two when it is not known. */
export function possibleImplementations(
  node: LiveNode | null,
): readonly [FilterImplementation, ...FilterImplementation[]] {
  if (node?.options) return [effectiveNodeOptions(node.options).nftables ? 'nftables' : 'iptables'];
  return node?.implementation ? [node.implementation] : ['iptables', 'nftables'];
}
