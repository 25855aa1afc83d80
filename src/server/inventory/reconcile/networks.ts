import type { Listing, NetworkFact } from '../../providers/hypervisor/types';
import { diffByKey, sameFields } from './diff';

/** The columns of a network that a sync writes; what people wrote (the description) is not among them. */
export type NetworkState = {
  name: string;
  kind: NetworkFact['kind'];
  zone: string | null;
  vlan_tag: number | null;
  vlan_aware: boolean | null;
  alias: string | null;
  node_names: string[];
  source: 'provider';
  missing_since: string | null;
};
export type PresentNetwork = Omit<NetworkState, 'kind' | 'source'> & {
  id: string;
  kind: NetworkFact['kind'] | 'discovered' | 'manual';
  source: 'provider' | 'discovery' | 'manual';
  /** Whether something hangs on it that a sync did not make: subnets, ranges or addresses of people, interfaces, a description. */
  in_use: boolean;
};

/** What the nodes answered; null for a node whose list could not be read. */
export type NodeNetworks = ReadonlyMap<string, Listing<NetworkFact> | null>;

export type NetworkPlan = {
  create: NetworkState[];
  change: (NetworkState & { id: string })[];
  remove: PresentNetwork[];
  /** Networks whose absence is not proved, or on which something of people's hangs. */
  mark: PresentNetwork[];
  /** Names that the hypervisor uses and that belong to the address discovery. */
  taken: string[];
  kept: number;
};

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/**
 * One network per name from the lists of all nodes. Where nodes disagree the first one (by name) decides, so that the
 * outcome does not depend on who answered first.
 */
export function mergeNodeNetworks(nodes: NodeNetworks): Map<string, NetworkFact> {
  const merged = new Map<string, NetworkFact>();
  for (const node of [...nodes.keys()].sort()) {
    for (const fact of nodes.get(node)?.items ?? []) {
      const other = merged.get(fact.name);
      if (!other) merged.set(fact.name, { ...fact, node_names: [node] });
      else
        merged.set(fact.name, {
          ...other,
          vlan_aware: other.vlan_aware ?? fact.vlan_aware,
          alias: other.alias ?? fact.alias,
          node_names: [...other.node_names, node],
        });
    }
  }
  return merged;
}

/**
 * Compares bridges or vnets with those stored. Null facts keep the known value when `nullMeansUnknown`. Manually
 * created networks stay unchanged. A network is removed only when every list was complete, none contains it, and
 * nothing that users created depends on it; one that is known to be on a node that did not answer is not missing, only
 * unseen.
 */
export function planNetworks(
  facts: readonly NetworkFact[],
  present: readonly PresentNetwork[],
  options: { complete: boolean; unreadNodes: ReadonlySet<string>; nullMeansUnknown: boolean },
  now: Date,
): NetworkPlan {
  const known = new Map(present.map((network) => [network.name, network]));
  const taken = facts.filter((fact) => known.get(fact.name)?.source === 'discovery').map((fact) => fact.name);
  const manual = new Set(present.filter((network) => network.source === 'manual').map((network) => network.name));
  const desired = facts
    .filter((fact) => !taken.includes(fact.name) && !manual.has(fact.name))
    .map((fact) => syncedState(fact, known.get(fact.name), options));
  const byName = (network: { name: string }) => network.name;
  const ours = present.filter((network) => network.source === 'provider');
  const diff = diffByKey(desired, ours, { desired: byName, present: byName }, sameFields<object>);
  const plan: NetworkPlan = {
    create: diff.create,
    change: diff.change.map(({ present: row, desired: state }) => ({ ...state, id: row.id })),
    remove: [],
    mark: [],
    taken,
    kept: diff.keep.length,
  };
  for (const network of diff.remove) {
    const unseen = network.node_names.some((name) => options.unreadNodes.has(name));
    if (options.complete && !network.in_use) plan.remove.push(network);
    else if (network.missing_since === null && !unseen)
      plan.mark.push({ ...network, missing_since: now.toISOString() });
    else plan.kept += 1;
  }
  return plan;
}

/** The widest tag there is, that of a VXLAN; the database holds no other. */
const MAX_TAG = 2 ** 24 - 1;
const validTag = (tag: number | null) => (tag !== null && tag >= 1 && tag <= MAX_TAG ? tag : null);

function syncedState(
  fact: NetworkFact,
  row: PresentNetwork | undefined,
  options: { unreadNodes: ReadonlySet<string>; nullMeansUnknown: boolean },
): NetworkState {
  const old = options.nullMeansUnknown ? row : undefined;
  const elsewhere = row?.node_names.filter((name) => options.unreadNodes.has(name)) ?? [];
  return {
    name: fact.name,
    kind: fact.kind,
    zone: fact.zone ?? old?.zone ?? null,
    vlan_tag: validTag(fact.vlan_tag) ?? old?.vlan_tag ?? null,
    vlan_aware: fact.vlan_aware ?? row?.vlan_aware ?? null,
    alias: fact.alias ?? old?.alias ?? null,
    node_names: sorted([...fact.node_names, ...elsewhere]),
    source: 'provider',
    missing_since: null,
  };
}
