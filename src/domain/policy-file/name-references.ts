import { belongsTo, type OwnerId } from '../policy/acts-on';
import { EXCEPT } from '../policy/choices';
import { escapeName, formatEndpoint } from '../policy/endpoint';
import type { InventoryIndex } from '../policy/inventory-index';
import { findNamedGroups } from '../policy/pin-group';
import { findGroups, networkCidrs } from '../policy/resolve';
import { isExcepted, parseTestEndpoint, type TestEndpoint } from '../policy-tests/test-endpoint';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Index = Pick<InventoryIndex, 'groups' | 'networks' | 'clusters' | 'workloads'> & {
  /** Names of clusters by id. */
  readonly cluster_names: ReadonlyMap<string, string>;
};

type Named = { readonly endpoint: TestEndpoint } | { readonly problem: string };

/** Whether an owner knows a cluster: it has a workload there. To others an id says no name. */
function isClusterKnown(id: string, { workloads }: Index, owner: OwnerId): boolean {
  if (owner === null) return true;
  for (const workload of workloads.values()) {
    if (workload.cluster_id === id && belongsTo(owner, workload)) return true;
  }
  return false;
}

/** The name of a cluster. @returns null where several have it */
function nameCluster(cluster: string, index: Index, owner: OwnerId): string | null {
  const name = index.cluster_names.get(cluster);
  if (name === undefined || !isClusterKnown(cluster, index, owner)) return cluster;
  return index.clusters.get(name)?.length === 1 ? name : null;
}

function nameGroup(reference: string, index: Index, owner: OwnerId): Named {
  const [group] = findGroups(reference, index.groups, owner).filter(({ id }) => id === reference);
  if (!group) return { endpoint: { kind: 'security_group', reference } };
  const [named, ...others] = findNamedGroups(group.name, index.groups, owner);
  if (named?.id === group.id && others.length === 0) {
    return { endpoint: { kind: 'security_group', reference: group.name } };
  }
  return { problem: `Several groups are named ${group.name}. Rename one of them, so that the name is enough.` };
}

function nameNetwork(network: Extract<TestEndpoint, { kind: 'network' }>, index: Index, owner: OwnerId): Named {
  const byId = index.networks.get(network.name)?.filter(({ id }) => id === network.name) ?? [];
  const [found] = byId.filter((one) => networkCidrs(one, owner) !== null);
  const cluster = found?.cluster_id ?? network.cluster;
  const name = cluster === null ? null : nameCluster(cluster, index, owner);
  if (cluster !== null && name === null) return { problem: 'Several clusters have the same name. Rename one of them.' };
  return { endpoint: { kind: 'network', name: found?.name ?? network.name, cluster: name } };
}

function nameEndpoint(endpoint: TestEndpoint, index: Index, owner: OwnerId): Named {
  if (endpoint.kind === 'security_group') return nameGroup(endpoint.reference, index, owner);
  if (endpoint.kind === 'network') return nameNetwork(endpoint, index, owner);
  if ((endpoint.kind === 'vmid' || endpoint.kind === 'node') && endpoint.cluster !== null) {
    const cluster = nameCluster(endpoint.cluster, index, owner);
    if (cluster === null) return { problem: 'Several clusters have the same name. Rename one of them.' };
    return { endpoint: { ...endpoint, cluster } };
  }
  return { endpoint };
}

const format = (endpoint: TestEndpoint): string =>
  endpoint.kind === 'node'
    ? `node:${escapeName(endpoint.cluster)}/${escapeName(endpoint.name)}`
    : formatEndpoint(endpoint);

/** A stored endpoint with names instead of ids. @returns what is in the way where names are ambiguous */
export function nameReferences(text: string, index: Index, owner: OwnerId): { text: string } | { problem: string } {
  const parsed = parseTestEndpoint(text);
  if ('error' in parsed) return { text };
  const named = nameEndpoint(parsed, index, owner);
  return 'problem' in named ? named : { text: (isExcepted(text) ? EXCEPT : '') + format(named.endpoint) };
}

/** Why an endpoint has no place in a file: it names something by its id. Null: it does not. */
export function findIdReference(text: string): string | null {
  const parsed = parseTestEndpoint(text);
  if ('error' in parsed) return null;
  const references =
    parsed.kind === 'security_group'
      ? [parsed.reference]
      : parsed.kind === 'network'
        ? [parsed.name, parsed.cluster]
        : parsed.kind === 'vmid' || parsed.kind === 'node'
          ? [parsed.cluster]
          : [];
  const found = references.find((one) => one !== null && UUID.test(one));
  return found === undefined ? null : `${found} is an ID, which another installation does not have. Write the name.`;
}
