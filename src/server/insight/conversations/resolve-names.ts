import type { Condition } from '@/domain/filter-language/condition';
import { parseEndFilter } from '@/domain/flow/flow-end';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import { resolveWorkloads } from '@/domain/policy/resolve';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import type { VisibleWorkloads } from '../../traffic/storage/flow-selection';

const FIELDS: readonly string[] = ['client', 'server', 'end'];

/** Names of workloads, groups, tags and networks in a condition. */
function listNames(condition: Condition): string[] {
  if (condition.kind === 'not') return listNames(condition.of);
  if (condition.kind !== 'compare') return condition.of.flatMap(listNames);
  return FIELDS.includes(condition.field) ? condition.values.filter((value) => parseEndFilter(value) === null) : [];
}

/**
 * The visible workloads that names in a condition resolve to now, as endpoints of policies do for each tenant and project of the reader.
 * A name of another tenant resolves to nothing, as one that does not exist.
 */
export async function resolveConditionNames(
  condition: Condition | undefined,
  reach: Reach,
  visible: VisibleWorkloads,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = condition ? [...new Set(listNames(condition))] : [];
  if (names.length === 0) return new Map();
  const { inputs } = await readFirewallState();
  const tenants = getReachableTenants(reach);
  const owners = tenants === 'all' ? [null] : [...tenants, ...getReachableProjects(reach)];
  const seen = visible === 'all' ? null : new Set(visible);
  return new Map(
    names.map((name) => {
      const endpoint = name.replace(/^group:/, 'sg:');
      const ids = owners.flatMap((owner) => {
        const found = resolveWorkloads(endpoint, inputs.index, owner);
        return 'reason' in found ? [] : found.map(({ id }) => id);
      });
      return [name, [...new Set(ids)].filter((id) => seen === null || seen.has(id))];
    }),
  );
}
