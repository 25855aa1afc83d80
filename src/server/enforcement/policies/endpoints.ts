import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import { belongsTo, getOwnerId, type OwnerId, type PolicyOwner } from '@/domain/policy/acts-on';
import { formatEndpoint, parseEndpoint } from '@/domain/policy/endpoint';
import type { IndexedWorkload } from '@/domain/policy/inventory-index';
import { pinGroup } from '@/domain/policy/pin-group';
import { workloadEndpoint } from '@/domain/policy/propose-endpoint';
import { networkCidrs, resolvePeers, resolveWorkloads, spansToText } from '@/domain/policy/resolve';
import type { EndpointSearch, EndpointSuggestion, ResolvedEndpoint, ResolveInput } from '@/domain/policy-endpoints';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { chooseOwner } from '../../tenancy/choose-owner';
import { findProject } from '../../tenancy/queries/projects';
import { readFirewallState } from './firewall-state/read-firewall-state';
import type { PolicyInputs } from './policy-inputs';

const SHOWN = 50;

const NOTHING = {
  workloads_total: 0,
  workloads: [],
  cidrs_total: 0,
  cidrs: [],
  without_address: 0,
} satisfies Partial<ResolvedEndpoint>;

function resolveOne(inputs: PolicyInputs, owner: OwnerId, text: string): ResolvedEndpoint {
  const parsed = parseEndpoint(text);
  if ('error' in parsed) {
    const reasons = { place_reason: 'invalid', peer_reason: 'invalid' } as const;
    return { endpoint: text, canonical: null, kind: null, ...reasons, error: parsed.error, ...NOTHING };
  }
  const stored = pinGroup(text, inputs.index.groups, owner);
  const places = resolveWorkloads(stored, inputs.index, owner);
  const peers = resolvePeers(stored, inputs.index, owner);
  const workloads = 'reason' in places ? [] : [...places].sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = peers !== 'any' && !('reason' in peers) ? peers : null;
  const cidrs = known ? [...spansToText(known[4], 4), ...spansToText(known[6], 6)] : [];
  return {
    endpoint: text,
    canonical: formatEndpoint(parsed),
    kind: parsed.kind,
    place_reason: 'reason' in places ? places.reason : null,
    peer_reason: peers !== 'any' && 'reason' in peers ? peers.reason : null,
    error: null,
    workloads_total: workloads.length,
    workloads: workloads.slice(0, SHOWN).map(({ id, name, vmid, cluster_id, addresses }) => ({
      workload_id: id,
      name,
      vmid,
      cluster_name: inputs.clusters.get(cluster_id)?.name ?? '',
      addresses: addresses.length,
    })),
    cidrs_total: cidrs.length,
    cidrs: cidrs.slice(0, SHOWN),
    without_address: known?.without_address.length ?? 0,
  };
}

/**
 * What endpoints resolve to now, for a policy of this tenant or project.
 * @throws AppError `malformed` for a tenant or project that is not visible to the caller
 */
export async function resolveEndpoints(
  scope: Scope<'policy:read'>,
  { endpoints, tenant_id, project_id }: ResolveInput,
): Promise<{ endpoints: ResolvedEndpoint[] }> {
  const owner = await db.transaction((tx) => chooseOwner(tx, scope.reach, { tenant_id, project_id }));
  const { inputs } = await readFirewallState();
  return { endpoints: endpoints.map((text) => resolveOne(inputs, getOwnerId(owner), text)) };
}

type Kind = EndpointSuggestion['kind'];

const plural = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** Everything that policies of these owners can name, or (null) those of the installation; made once per question. */
function* candidates(inputs: PolicyInputs, visible: readonly IndexedWorkload[], owners: readonly string[] | null) {
  const ids = new Set(visible.map(({ id }) => id));
  const groups = new Map([...inputs.index.groups.values()].flat().map((group) => [group.id, group]));
  const isOwned = (group: PolicyOwner) => !owners || owners.includes(getOwnerId(group) ?? '');
  for (const group of groups.values()) {
    if (!isOwned(group)) continue;
    const same = (inputs.index.groups.get(group.name) ?? []).filter(
      owners ? isOwned : ({ tenant_id }) => tenant_id === null,
    );
    const byName = same.length === 1 && same[0] === group;
    const endpoint = byName ? `sg:${group.name}` : `sg:${group.id}`;
    const detail = plural(group.workload_ids.length, 'member');
    yield { kind: 'security_group' as Kind, endpoint, label: group.name, detail, text: group.name };
  }
  const tags = new Map<string, number>();
  for (const { tags: own } of visible) for (const tag of own) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  for (const [tag, count] of tags) {
    yield { kind: 'tag' as Kind, endpoint: `tag:${tag}`, label: tag, detail: plural(count, 'workload'), text: tag };
  }
  const networks = new Map([...inputs.index.networks.values()].flat().map((network) => [network.id, network]));
  for (const network of networks.values()) {
    const { name, cluster_id } = network;
    const seen = (owners ?? [null]).flatMap((owner) => networkCidrs(network, owner) ?? []);
    if (owners && seen.length === 0) continue;
    const cidrs = [...new Set(seen)];
    const cluster = inputs.clusters.get(cluster_id)?.name ?? cluster_id;
    const endpoint = formatEndpoint({ kind: 'network', cluster, name });
    const subnets = cidrs.length === 0 ? 'no subnet' : cidrs.slice(0, 3).join(', ') + (cidrs.length > 3 ? ', …' : '');
    const detail = `${cluster} ${subnets}`;
    yield { kind: 'network' as Kind, endpoint, label: name, detail, text: `${name} ${cluster} ${cidrs.join(' ')}` };
  }
  for (const workload of visible) {
    const { name, vmid, addresses, cluster_id, template } = workload;
    if (template) continue;
    const endpoint = workloadEndpoint(inputs.index, workload, ({ id }) => ids.has(id));
    const cluster = inputs.clusters.get(cluster_id)?.name ?? '';
    const detail = [`${cluster} ${vmid}`, ...addresses.slice(0, 2)].join(', ');
    yield { kind: 'workload' as Kind, endpoint, label: name, detail, text: `${name} ${vmid} ${addresses.join(' ')}` };
  }
}

/** How well a text fits: at the start of the name, at the start of a word, anywhere; -1: not at all. */
function closeness(label: string, text: string, q: string): number {
  if (q === '') return 2;
  const low = label.toLowerCase();
  if (low.startsWith(q)) return 0;
  if (
    text
      .toLowerCase()
      .split(/[\s._-]+/)
      .some((word) => word.startsWith(q))
  )
    return 1;
  return text.toLowerCase().includes(q) ? 2 : -1;
}

/**
 * Owners whose objects may be named: the requested project or tenant, else all that are visible to the caller; null:
 * everything.
 */
async function ownersFor(reach: Reach, tenant_id?: string, project_id?: string): Promise<readonly string[] | null> {
  if (project_id !== undefined) {
    const project = await findProject(db, reach, project_id);
    return project && (tenant_id === undefined || project.tenant_id === tenant_id) ? [project.id] : [];
  }
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') return tenant_id ? [tenant_id] : null;
  return tenant_id ? tenants.filter((id) => id === tenant_id) : [...tenants, ...getReachableProjects(reach)];
}

/**
 * Things to choose as source or target: groups, tags, networks, workloads by name, number or address, and what is typed
 * itself when it is an address, network or `any`.
 */
export async function searchEndpoints(
  scope: Scope<'policy:read'>,
  { q, limit, tenant_id, project_id }: EndpointSearch,
): Promise<{ items: EndpointSuggestion[] }> {
  const { inputs } = await readFirewallState();
  const owners = await ownersFor(scope.reach, tenant_id, project_id);
  const visible = [...inputs.workloads.values()].filter(
    (workload) => !owners || owners.some((owner) => belongsTo(owner, workload)),
  );
  const [, prefix, rest] = /^(sg|tag|network|vmid):(.*)$/.exec(q) ?? [];
  const kinds = { sg: 'security_group', tag: 'tag', network: 'network', vmid: 'workload' } as const;
  const only = prefix === undefined ? null : kinds[prefix as keyof typeof kinds];
  const typed = parseEndpoint(q);
  // What is typed after network: is escaped, and may name the cluster first.
  const network = !('error' in typed) && typed.kind === 'network' ? typed : null;
  const inCluster = network?.cluster?.toLowerCase();
  const desired = (network?.name ?? rest?.replace(/\/$/, '') ?? q).toLowerCase();
  const found: { fit: number; item: EndpointSuggestion }[] = [];
  if (!('error' in typed) && (typed.kind === 'address' || typed.kind === 'any')) {
    const detail = typed.kind === 'any' ? 'all addresses' : typed.cidr.includes('/') ? 'network' : 'address';
    found.push({ fit: -1, item: { endpoint: formatEndpoint(typed), kind: typed.kind, label: q, detail } });
  } else if (q === '' || 'any'.startsWith(desired)) {
    found.push({ fit: 3, item: { endpoint: 'any', kind: 'any', label: 'any', detail: 'all addresses' } });
  }
  for (const { text, ...item } of candidates(inputs, visible, owners)) {
    if (only !== null && item.kind !== only) continue;
    if (inCluster !== undefined && !item.detail.toLowerCase().startsWith(inCluster)) continue;
    const score = closeness(item.label, text, desired);
    if (score >= 0) found.push({ fit: score, item });
  }
  found.sort((a, b) => a.fit - b.fit || (a.item.label < b.item.label ? -1 : a.item.label > b.item.label ? 1 : 0));
  return { items: found.slice(0, limit).map(({ item }) => item) };
}
