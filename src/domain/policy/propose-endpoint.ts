import type { DraftEnd, DraftProposal } from '../policy-draft';
import { belongsTo, type OwnerId } from './acts-on';
import { parseEndpoint } from './endpoint';
import type { IndexedWorkload, InventoryIndex } from './inventory-index';
import { resolveWorkloads } from './resolve';

type Group = InventoryIndex['groups'] extends ReadonlyMap<string, readonly (infer G)[]> ? G : never;

const NOTHING: DraftProposal = {
  endpoint: null,
  endpoints: [],
  kind: null,
  security_group_id: null,
  label: null,
  workloads_total: 0,
  workload_endpoint: null,
  workload_name: null,
};

/** The endpoint of one workload. A name or VMID that several visible workloads have would be unresolved. */
export function workloadEndpoint(
  index: InventoryIndex,
  workload: IndexedWorkload,
  isVisible: (workload: IndexedWorkload) => boolean,
): string {
  const isOnly = (list: readonly IndexedWorkload[] | undefined) => (list ?? []).filter(isVisible).length === 1;
  const named = parseEndpoint(workload.name);
  const isName = !('error' in named) && named.kind === 'workload' && named.name === workload.name;
  if (isName && isOnly(index.by_name.get(workload.name))) return workload.name;
  if (isOnly(index.by_vmid.get(workload.vmid))) return `vmid:${workload.vmid}`;
  return `vmid:${workload.cluster_id}/${workload.vmid}`;
}

const listWorkloadIds = (text: string, index: InventoryIndex, owner: OwnerId): readonly string[] => {
  const found = resolveWorkloads(text, index, owner);
  return 'reason' in found ? [] : found.map(({ id }) => id);
};

type Candidate = { group: Group; endpoint: string; ids: ReadonlySet<string> };

/**
 * The groups of an owner with the workloads that a policy of this owner finds in them. A platform policy is proposed groups of
 * the installation only: a tenant must not change what a platform policy covers.
 */
export function listGroupCandidates(index: InventoryIndex, owner: OwnerId): Candidate[] {
  const groups = new Map([...index.groups.values()].flat().map((group) => [group.id, group]));
  return [...groups.values()]
    .filter((group) => (group.project_id ?? group.tenant_id) === owner)
    .flatMap((group) => {
      const byId = listWorkloadIds(`sg:${group.id}`, index, owner);
      if (byId.length === 0) return [];
      const byName = listWorkloadIds(`sg:${group.name}`, index, owner);
      const isSame = byName.length === byId.length && byName.every((id) => byId.includes(id));
      return [{ group, endpoint: isSame ? `sg:${group.name}` : `sg:${group.id}`, ids: new Set(byId) }];
    });
}

/** The smallest group, then the first by name. */
const bySize = (a: Candidate, b: Candidate) =>
  a.ids.size - b.ids.size || (a.group.name < b.group.name ? -1 : a.group.name > b.group.name ? 1 : 0);

const proposeGroup = ({ group, endpoint, ids }: Candidate): DraftProposal => ({
  ...NOTHING,
  endpoint,
  endpoints: [endpoint],
  kind: 'security_group',
  security_group_id: group.id,
  label: group.name,
  workloads_total: ids.size,
});

/**
 * What a policy of this owner can name for one end of observed traffic: a group that has the workload, else the workload, else
 * the address. What resolves to nothing for the owner is not proposed, and nothing becomes `any`.
 */
export function proposeEndpoint(end: DraftEnd, index: InventoryIndex, owner: OwnerId): DraftProposal {
  const { workload_id, workload_ids, security_group_id, address } = end;
  const named = workload_id === undefined ? workload_ids : [workload_id];
  const isKnown = (workload: IndexedWorkload) => belongsTo(owner, workload);
  const workloads = [...new Set(named)].flatMap((id) => index.workloads.get(id) ?? []).filter(isKnown);
  const candidates = named || security_group_id ? listGroupCandidates(index, owner) : [];
  if (security_group_id !== undefined) {
    const found = candidates.find(({ group }) => group.id === security_group_id);
    return found ? proposeGroup(found) : NOTHING;
  }
  const [only] = workloads.length === 1 && named && new Set(named).size === 1 ? workloads : [];
  /** Null for a workload that its own endpoint does not resolve to. */
  const findOwnEndpoint = (workload: IndexedWorkload) => {
    const endpoint = workloadEndpoint(index, workload, isKnown);
    return listWorkloadIds(endpoint, index, owner)[0] === workload.id ? endpoint : null;
  };
  const alone = only ? findOwnEndpoint(only) : null;
  const isResolved = only !== undefined && alone !== null;
  const fits = ({ ids }: Candidate) =>
    workload_id === undefined
      ? ids.size === new Set(named).size && workloads.length === ids.size && workloads.every(({ id }) => ids.has(id))
      : ids.has(workload_id);
  const group = workloads.length > 0 ? candidates.filter(fits).sort(bySize)[0] : undefined;
  const itself = isResolved ? { workload_endpoint: alone, workload_name: only.name } : {};
  if (group) return { ...proposeGroup(group), ...itself };
  if (isResolved) {
    const known = { endpoint: alone, endpoints: [alone], label: only.name, workloads_total: 1 };
    return { ...NOTHING, ...itself, ...known, kind: 'workload' };
  }
  const isAll = named !== undefined && workloads.length > 1 && workloads.length === new Set(named).size;
  const each = isAll ? workloads.map(findOwnEndpoint).filter((one) => one !== null) : [];
  if (isAll && each.length === workloads.length) {
    return {
      ...NOTHING,
      endpoints: each,
      kind: 'workloads',
      label: formatNames(workloads),
      workloads_total: each.length,
    };
  }
  if (address === undefined) return NOTHING;
  return { ...NOTHING, endpoint: address, endpoints: [address], kind: 'address', label: address };
}

const MOST_NAMES = 3;

/** `web-1, web-2`; of many the first. */
const formatNames = (workloads: readonly IndexedWorkload[]): string =>
  [...workloads.slice(0, MOST_NAMES).map(({ name }) => name), ...(workloads.length > MOST_NAMES ? ['…'] : [])].join(
    ', ',
  );
