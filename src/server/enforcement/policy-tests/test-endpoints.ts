import { completeLiveNode, type LiveNic } from '@/domain/firewall/live-state';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import { prepareNodeFilter } from '@/domain/firewall/prepare-node-filter';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { decomposeAsked, decomposeNode } from '@/domain/firewall/space/decompose';
import { parseIp } from '@/domain/net/ip-address';
import type { PlaceFilter, TestPlace } from '@/domain/policy-tests/test-end';
import { formatTestEndpoint } from '@/domain/policy-tests/test-endpoint';
import { objectCache } from '../../lib/cache';
import { newId } from '../../lib/ids';
import { findMetCluster } from '../policies/firewall-state/met-cluster';
import { toLiveState } from '../policies/firewall-state/views';
import type { Readable } from '../policies/planned-change';
import type { InputWorkload } from '../queries/policy-inputs';

/** A place with all of its addresses, and a text that changes with everything that its verdicts depend on. */
export type KnownPlace = TestPlace & { readonly print: string };

type Prepared = Pick<TestPlace, 'filters' | 'not_filtered' | 'broadcasts'>;
type Seal = { cluster: ClusterSnapshot | null; node: string | null; nftables: boolean | null };

/** By snapshot of a guest: as long as it and what it depends on are the same, nothing is prepared again. */
const preparedPlaces = objectCache<GuestSnapshot, Prepared, Seal>({
  name: 'policy_test_places',
  isFresh: (kept, asked) =>
    kept.cluster === asked.cluster && kept.node === asked.node && kept.nftables === asked.nftables,
});
/** A text for each snapshot: equal texts are the same object. */
const names = objectCache<object, string>({ name: 'policy_test_readings' });
const getSnapshotId = (snapshot: object | null): string =>
  snapshot === null ? '-' : names.load(snapshot, null, newId);

const NOT_READ: Prepared = { filters: [], not_filtered: null, broadcasts: [] };

/** Whether the rules of a guest may treat its interfaces differently. */
function hasPerInterfaceRules({ rules, ipsets }: GuestSnapshot, nics: readonly LiveNic[]): boolean {
  const [first, ...others] = nics;
  return (
    others.some((nic) => nic.firewall !== first?.firewall || nic.bridge !== first?.bridge) ||
    !rules ||
    !ipsets ||
    rules.some(({ iface }) => iface !== undefined && iface !== '') ||
    Object.keys(ipsets).some((name) => name.startsWith('ipfilter-'))
  );
}

function prepareWorkload(workload: InputWorkload, guest: GuestSnapshot, cluster: ClusterSnapshot | null): Prepared {
  const { nics } = guest;
  if (!nics) return NOT_READ;
  const state = toLiveState(workload, guest, cluster);
  const used = hasPerInterfaceRules(guest, nics) ? nics : nics.slice(0, 1);
  const ready = used.map((nic) => ({ name: nic.name, prepared: prepareGuest(state, nic) }));
  const off = ready.map(({ prepared: { enforcement } }) =>
    enforcement.status === 'off' ? enforcement.reasons[0] : null,
  );
  return {
    filters: ready.map(
      ({ name, prepared }): PlaceFilter => ({
        interface: nics.length > used.length ? null : name,
        parts: (direction, box, keeps) => decomposeAsked(prepared, direction, box, keeps),
      }),
    ),
    not_filtered: off.every((reason) => reason !== null) ? (off[0] ?? null) : null,
    broadcasts: ready[0]?.prepared.filters[0].node.broadcasts ?? [],
  };
}

/** Addresses by family, ascending. */
export function sortedAddresses(texts: readonly string[]): Readonly<Record<4 | 6, readonly bigint[]>> {
  const found: Record<4 | 6, Set<bigint>> = { 4: new Set(), 6: new Set() };
  for (const text of texts) {
    const ip = parseIp(text.split('/')[0] ?? text);
    if (ip) found[ip.family].add(ip.value);
  }
  const sorted = (values: Set<bigint>) => [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return { 4: sorted(found[4]), 6: sorted(found[6]) };
}

/** A workload as a place of tests, from what was last read of it; no cluster is asked. */
export function workloadPlace(firewall: Readable, workload: InputWorkload): KnownPlace {
  const guest = firewall.snapshots.guests.get(workload.id)?.state ?? null;
  const cluster = findMetCluster(firewall.snapshots, workload);
  const { id, name, node_name: node, nftables, addresses } = workload;
  const ready = guest
    ? preparedPlaces.load(guest, { cluster, node, nftables }, () => prepareWorkload(workload, guest, cluster))
    : NOT_READ;
  return {
    key: id,
    ref: { kind: 'workload', id, name },
    addresses: sortedAddresses(addresses),
    print: [id, name, getSnapshotId(guest), getSnapshotId(cluster), node, nftables, addresses.join(' ')].join('\n'),
    ...ready,
  };
}

/** The same for nodes, by snapshot of a cluster. */
const preparedNodes = objectCache<ClusterSnapshot, Map<string, Prepared>>({ name: 'policy_test_nodes' });

function prepareNode(cluster: ClusterSnapshot, name: string): Prepared {
  const known = preparedNodes.load(cluster, null, () => new Map());
  const ready = known.get(name);
  if (ready) return ready;
  const filter = prepareNodeFilter(cluster, name);
  const made: Prepared = {
    filters: [{ interface: null, parts: (direction, box) => decomposeNode(filter, direction, box) }],
    not_filtered:
      filter.cluster_enabled === false
        ? 'cluster_firewall_off'
        : filter.node_enabled === false
          ? 'node_firewall_off'
          : null,
    broadcasts: filter.chains[0].node.broadcasts ?? [],
  };
  known.set(name, made);
  return made;
}

/** A node as a place of tests; null when its addresses were not read. */
export function nodePlace(firewall: Readable, clusterId: string, name: string): KnownPlace | null {
  const cluster = firewall.snapshots.clusters.get(clusterId)?.state ?? null;
  const node = cluster && completeLiveNode(cluster, name, null);
  if (!cluster || !node?.networks) return null;
  return {
    key: `${clusterId} ${name}`,
    ref: { kind: 'node', cluster_id: clusterId, name },
    addresses: sortedAddresses(node.networks),
    print: [clusterId, name, getSnapshotId(cluster)].join('\n'),
    ...prepareNode(cluster, name),
  };
}

/** The nodes that were read, as endpoints. */
export function nodeEndpoints({ inputs, snapshots }: Readable): string[] {
  return [...snapshots.clusters].flatMap(([id, { state }]) => {
    const cluster = inputs.clusters.get(id)?.name;
    return cluster === undefined
      ? []
      : Object.keys(state.nodes ?? {}).map((name) => formatTestEndpoint({ kind: 'node', cluster, name }));
  });
}
