import type { Condition } from '@/domain/filter-language/condition';
import { parseEndFilter } from '@/domain/flow/flow-end';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import type { OwnerId } from '@/domain/policy/acts-on';
import { parseEndpoint } from '@/domain/policy/endpoint';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { resolveNetworkCidrs, resolveWorkloads } from '@/domain/policy/resolve';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import type { NamedEnd, VisibleWorkloads } from '../../traffic/storage/flow-selection';

const FIELDS: readonly string[] = ['client', 'server', 'end'];

/** Names of workloads, groups, tags and networks in a condition. */
function listNames(condition: Condition): string[] {
  if (condition.kind === 'not') return listNames(condition.of);
  if (condition.kind !== 'compare') return condition.of.flatMap(listNames);
  return FIELDS.includes(condition.field) ? condition.values.filter((value) => parseEndFilter(value) === null) : [];
}

/** What a name means for one owner: workloads, or the subnets of networks. If several have the name, it means all of them. */
function resolveName(name: string, index: InventoryIndex, owner: OwnerId): NamedEnd {
  const text = name.replace(/^group:/, 'sg:');
  const endpoint = parseEndpoint(text);
  if (!('error' in endpoint) && endpoint.kind === 'network') {
    const network = resolveNetworkCidrs(endpoint, index, owner, 'all');
    return { workload_ids: [], cidrs: 'reason' in network ? [] : network.cidrs };
  }
  const found = resolveWorkloads(text, index, owner, 'all');
  return { workload_ids: 'reason' in found ? [] : found.map(({ id }) => id), cidrs: [] };
}

/**
 * The visible workloads and subnets that names in a condition resolve to now, as endpoints of policies do for each tenant and project of the
 * reader. A name of another tenant resolves to nothing, as one that does not exist.
 */
export async function resolveConditionNames(
  condition: Condition | undefined,
  reach: Reach,
  visible: VisibleWorkloads,
): Promise<ReadonlyMap<string, NamedEnd>> {
  const names = condition ? [...new Set(listNames(condition))] : [];
  if (names.length === 0) return new Map();
  const { inputs } = await readFirewallState();
  const tenants = getReachableTenants(reach);
  const owners = tenants === 'all' ? [null] : [...tenants, ...getReachableProjects(reach)];
  const seen = visible === 'all' ? null : new Set(visible);
  return new Map(
    names.map((name) => {
      const ends = owners.map((owner) => resolveName(name, inputs.index, owner));
      const ids = new Set(ends.flatMap(({ workload_ids }) => workload_ids));
      const workload_ids = [...ids].filter((id) => seen === null || seen.has(id));
      return [name, { workload_ids, cidrs: [...new Set(ends.flatMap(({ cidrs }) => cidrs))] }];
    }),
  );
}
