import type { AddressSpan } from '../firewall/address-set';
import { joinSpans } from '../firewall/space/spans';
import { cidrBounds, formatCidr, parseCidr, rangeToCidrs } from '../net/cidr';
import { addressBits, formatIp } from '../net/ip-address';
import { belongsTo, type OwnerId } from './acts-on';
import { type Endpoint, parseEndpoint } from './endpoint';
import type { IndexedWorkload, Inventory, InventoryIndex } from './inventory-index';

export const UNRESOLVED_REASONS = [
  'invalid',
  'not_found',
  'ambiguous',
  'empty',
  'not_a_workload',
  'template',
  'no_address',
] as const;
/** Why an endpoint resolves to nothing. */
export type UnresolvedReason = (typeof UNRESOLVED_REASONS)[number];

type Unresolved = { readonly reason: UnresolvedReason };

/** What a name of several objects resolves to: to `none`, so that no rule is guessed, or to `all` where nothing is changed. */
type Several = 'none' | 'all';

/** The objects that a name resolves to. */
function selectNamed<T>(found: readonly T[] | undefined, several: Several): readonly T[] | Unresolved {
  if (found === undefined || found.length === 0) return { reason: 'not_found' };
  return several === 'none' && found.length > 1 ? { reason: 'ambiguous' } : found;
}

const isUnresolved = (value: object): value is Unresolved => 'reason' in value;

/**
 * The groups that a reference means: a name or an id, in the view of an owner. To the installation a name means its own groups only:
 * a tenant that chooses a name must not change what policies of the installation do.
 */
export const findGroups = (reference: string, groups: InventoryIndex['groups'], owner: OwnerId) =>
  (groups.get(reference) ?? []).filter((group) =>
    owner === null
      ? group.tenant_id === null || group.id === reference
      : (group.project_id ?? group.tenant_id) === owner,
  );

/** The groups of an endpoint. A name that only groups of tenants have is ambiguous to the installation: their ids are not. */
function findEndpointGroups(reference: string, groups: InventoryIndex['groups'], owner: OwnerId, several: Several) {
  const found = findGroups(reference, groups, owner);
  if (owner !== null || found.length > 0 || !groups.has(reference)) return selectNamed(found, several);
  return several === 'none' ? { reason: 'ambiguous' as const } : selectNamed(groups.get(reference), several);
}

/**
 * Workloads of an endpoint that names workloads. A tenant or project sees its own only. Groups of a project are the project's:
 * who edits them must not change what policies of the tenant do elsewhere.
 */
function findEndpointWorkloads(
  endpoint: Endpoint,
  index: InventoryIndex,
  owner: OwnerId,
  several: Several,
): readonly IndexedWorkload[] | Unresolved {
  const visible = (list: readonly IndexedWorkload[] | undefined) =>
    (list ?? []).filter((workload) => belongsTo(owner, workload));
  const orEmpty = (list: readonly IndexedWorkload[]) => (list.length > 0 ? list : { reason: 'empty' as const });
  switch (endpoint.kind) {
    case 'security_group': {
      const groups = findEndpointGroups(endpoint.reference, index.groups, owner, several);
      if (isUnresolved(groups)) return groups;
      const members = groups.flatMap(({ workload_ids }) => workload_ids.flatMap((id) => index.workloads.get(id) ?? []));
      return orEmpty(visible(members));
    }
    case 'vmid': {
      const all = visible(index.by_vmid.get(endpoint.vmid));
      if (endpoint.cluster === null) return selectNamed(all, several);
      const clusters = selectNamed(index.clusters.get(endpoint.cluster), several);
      if (isUnresolved(clusters)) return clusters;
      return selectNamed(
        all.filter((workload) => clusters.includes(workload.cluster_id)),
        several,
      );
    }
    case 'workload':
      return selectNamed(visible(index.by_name.get(endpoint.name)), several);
    case 'tag':
      return orEmpty(visible(index.by_tag.get(endpoint.tag)));
    default:
      return { reason: 'not_a_workload' };
  }
}

/** Templates never run: they have no chain, and their address belongs to another host. */
function withoutTemplates(
  endpoint: Endpoint,
  index: InventoryIndex,
  owner: OwnerId,
  several: Several,
): readonly IndexedWorkload[] | Unresolved {
  const found = findEndpointWorkloads(endpoint, index, owner, several);
  if (isUnresolved(found)) return found;
  const real = found.filter((workload) => !workload.template);
  return real.length > 0 ? real : { reason: 'template' };
}

/** Workloads that rules can be put at. */
export function resolveWorkloads(
  text: string,
  index: InventoryIndex,
  owner: OwnerId,
  several: Several = 'none',
): readonly IndexedWorkload[] | Unresolved {
  const endpoint = parseEndpoint(text);
  return 'error' in endpoint ? { reason: 'invalid' } : withoutTemplates(endpoint, index, owner, several);
}

/** Spans of both families; only the word "any" means any. */
export type PeerSpans = { readonly 4: AddressSpan[]; readonly 6: AddressSpan[] };

function collectSpans(texts: readonly string[]): PeerSpans {
  const spans: PeerSpans = { 4: [], 6: [] };
  for (const text of texts) {
    const cidr = parseCidr(text);
    if (!cidr) continue;
    const { first, last } = cidrBounds(cidr);
    spans[first.family].push({ first: first.value, last: last.value });
  }
  return spans;
}

/** The subnets of a network for a tenant or project: those in which it has addresses; null when it has none, and does not see it. */
export function networkCidrs(network: Inventory['networks'][number], owner: OwnerId): readonly string[] | null {
  return owner === null ? network.cidrs : (network.cidrs_of_owners?.[owner] ?? null);
}

/** Subnets of the network that is meant, or of all. Those that a tenant does not see make no name ambiguous for it. */
export function resolveNetworkCidrs(
  { name, cluster }: { readonly name: string; readonly cluster: string | null },
  index: InventoryIndex,
  owner: OwnerId,
  several: Several = 'none',
): { readonly cidrs: readonly string[] } | Unresolved {
  let named = index.networks.get(name) ?? [];
  if (cluster !== null) {
    const clusters = selectNamed(index.clusters.get(cluster), several);
    if (isUnresolved(clusters)) return clusters;
    named = named.filter((network) => clusters.includes(network.cluster_id));
  }
  const found = selectNamed(
    named.map((network) => networkCidrs(network, owner)).filter((cidrs) => cidrs !== null),
    several,
  );
  return isUnresolved(found) ? found : { cidrs: found.flat() };
}

/** The host itself: an address may be stored with the prefix length of its network. */
const stripPrefixLength = (text: string) => text.split('/')[0] ?? text;

/**
 * Addresses of the other side of a rule. Endpoints that name workloads resolve to the workloads' addresses;
 * workloads without an address are named in `without_address`.
 */
export function resolvePeers(
  text: string,
  index: InventoryIndex,
  owner: OwnerId,
): 'any' | (PeerSpans & { readonly without_address: readonly IndexedWorkload[] }) | Unresolved {
  const endpoint = parseEndpoint(text);
  if ('error' in endpoint) return { reason: 'invalid' };
  if (endpoint.kind === 'any') return 'any';
  if (endpoint.kind === 'address') return { ...collectSpans([endpoint.cidr]), without_address: [] };
  if (endpoint.kind === 'network') {
    const network = resolveNetworkCidrs(endpoint, index, owner);
    if (isUnresolved(network)) return network;
    const spans = collectSpans(network.cidrs);
    return spans[4].length + spans[6].length > 0 ? { ...spans, without_address: [] } : { reason: 'no_address' };
  }
  const workloads = withoutTemplates(endpoint, index, owner, 'none');
  if (isUnresolved(workloads)) return workloads;
  const spans = collectSpans(workloads.flatMap((workload) => workload.addresses.map(stripPrefixLength)));
  if (spans[4].length + spans[6].length === 0) return { reason: 'no_address' };
  return { ...spans, without_address: workloads.filter((workload) => workload.addresses.length === 0) };
}

/** The fewest canonical networks that hold exactly the spans, single addresses without a prefix length. */
export function spansToText(spans: readonly AddressSpan[], family: 4 | 6): string[] {
  return joinSpans(spans).flatMap(({ first, last }) =>
    rangeToCidrs({ family, value: first }, { family, value: last }).map((cidr) =>
      cidr.prefix === addressBits(family) ? formatIp(cidr.address) : formatCidr(cidr),
    ),
  );
}
