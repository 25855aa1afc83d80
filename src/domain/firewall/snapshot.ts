import type { LiveCluster, LiveGuest, LiveNic } from './live-state';

/** Why a part could not be read. */
export type UnreadableNote = {
  readonly part:
    | 'options'
    | 'rules'
    | 'ipsets'
    | 'aliases'
    | 'groups'
    | 'interfaces'
    | 'guest'
    /** Of one node, named in `node`. */
    | 'node_options'
    | 'node_rules'
    | 'node_networks'
    /** The list of nodes itself. */
    | 'nodes'
    /** The list of running VNets itself. */
    | 'vnets'
    /** Of one VNet, named in `vnet`. */
    | 'vnet_options'
    | 'vnet_rules';
  readonly node?: string;
  readonly vnet?: string;
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
};

/** A guest's filter and interfaces as they were read. Parts that are null are named in `unreadable`. */
export type GuestSnapshot = LiveGuest & {
  /** `absent` only with proof. */
  readonly presence: 'present' | 'absent' | 'unknown';
  /** Live interfaces; null: not readable. */
  readonly nics: readonly LiveNic[] | null;
  /** Interfaces whose change waits for the guest's next start. */
  readonly pending_nics: readonly string[];
  readonly unreadable: readonly UnreadableNote[];
};

export type ClusterSnapshot = LiveCluster & { readonly unreadable: readonly UnreadableNote[] };

/** Parts of the cluster that affect a guest's packets wherever the guest runs. */
const SHARED_PARTS: readonly UnreadableNote['part'][] = ['options', 'groups', 'ipsets', 'aliases', 'nodes'];
const NODE_PARTS: readonly UnreadableNote['part'][] = ['node_options', 'node_networks'];

/** What of the cluster's reading is missing for guests of one node: what is unreadable elsewhere does not concern them. */
export const listNodeNotes = (nodeName: string | null, { unreadable }: ClusterSnapshot): readonly UnreadableNote[] =>
  unreadable.filter(
    ({ part, node }) => SHARED_PARTS.includes(part) || (NODE_PARTS.includes(part) && (node ?? null) === nodeName),
  );
