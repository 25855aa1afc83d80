import { cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { getReachableTenants, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import { MAX_SCOPE, type SuggestionScope } from '@/domain/suggestion/suggestion';
import { AppError } from '../../lib/errors';
import { notFound, refuseField } from '../../lib/refusals';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { InputWorkload } from '../queries/policy-inputs';

/** Where the caller may write policies, and where the caller sees flows: a scope is within both. */
export type SuggestionReach = { readonly policies: Reach; readonly flows: Reach };

export type ResolvedScope = {
  readonly name: string;
  readonly workloads: readonly InputWorkload[];
  readonly owner: Owned;
};

const fieldNotFound = (field: string, what: string) =>
  notFound(what, [{ field: `scope.${field}`, message: `The ${what} was not found.` }]);

/** Workloads of a network: those of its cluster with an address in one of its subnets. Other clusters may use the same addresses. */
function listNetworkWorkloads(inputs: PolicyInputs, id: string, workloads: readonly InputWorkload[]) {
  const [network] = (inputs.index.networks.get(id) ?? []).filter((one) => one.id === id);
  const cidrs = (network?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
  const found = workloads.filter(
    ({ cluster_id, addresses }) =>
      cluster_id === network?.cluster_id &&
      addresses.some((text) => {
        const ip = parseIp(text.split('/')[0] ?? text);
        return ip !== null && cidrs.some((cidr) => cidrContains(cidr, ip));
      }),
  );
  return network && found.length > 0 ? { name: network.name, workloads: found } : null;
}

/** The workloads that a scope means, as far as the caller sees them. @throws AppError `not_found`, naming the field */
function findScope(inputs: PolicyInputs, scope: SuggestionScope, isVisible: (one: Owned) => boolean) {
  const visible = [...inputs.workloads.values()].filter((one) => isVisible(one) && inputs.index.workloads.has(one.id));
  const { workload_ids, group_id, tag, project_id, network_id } = scope;
  if (workload_ids) {
    const byId = new Map(visible.map((one) => [one.id, one]));
    const workloads = [...new Set(workload_ids)].map((id, at) => {
      const workload = byId.get(id);
      if (!workload) throw fieldNotFound(`workload_ids.${at}`, 'workload');
      return workload;
    });
    const [first, ...more] = workloads;
    return { name: more.length === 0 && first ? first.name : `${workloads.length} workloads`, workloads };
  }
  if (group_id !== undefined) {
    const [group] = (inputs.index.groups.get(group_id) ?? []).filter(({ id }) => id === group_id);
    if (!group || !isVisible({ ...group, project_id: group.project_id ?? null })) {
      throw fieldNotFound('group_id', 'security group');
    }
    const members = new Set(group.workload_ids);
    return { name: group.name, workloads: visible.filter(({ id }) => members.has(id)) };
  }
  if (tag !== undefined) return { name: tag, workloads: visible.filter(({ tags }) => tags.includes(tag)) };
  if (project_id !== undefined) {
    return { name: 'project', workloads: visible.filter((one) => one.project_id === project_id) };
  }
  const network = listNetworkWorkloads(inputs, network_id ?? '', visible);
  if (!network) throw fieldNotFound('network_id', 'network');
  return network;
}

/**
 * Whose the policies are: the one tenant of the workloads, or their project for those who act for single projects only. Several tenants, or
 * none, are the installation's.
 */
function findOwner(workloads: readonly Owned[], reach: Reach): Owned {
  const [first] = workloads;
  const tenants = getReachableTenants(reach);
  const isOne = workloads.every(({ tenant_id }) => tenant_id === first?.tenant_id);
  if (first && isOne && first.tenant_id !== null && (tenants === 'all' || tenants.includes(first.tenant_id))) {
    return { tenant_id: first.tenant_id, project_id: null };
  }
  if (tenants === 'all') return { tenant_id: null, project_id: null };
  if (first && workloads.every(({ project_id }) => project_id !== null && project_id === first.project_id)) {
    return { tenant_id: first.tenant_id, project_id: first.project_id };
  }
  throw refuseField('scope', 'The workloads belong to several tenants or projects. Choose those of one.');
}

/** @throws AppError `not_found` for what is not visible to the caller; `refused` for too many workloads, none, or those of several owners */
export function resolveScope(inputs: PolicyInputs, reach: SuggestionReach, scope: SuggestionScope): ResolvedScope {
  const isVisible = (one: Owned) => isWithinReach(one, reach.policies) && isWithinReach(one, reach.flows);
  const { name, workloads: found } = findScope(inputs, scope, isVisible);
  const workloads = found.filter(({ template }) => !template);
  if (workloads.length === 0) {
    throw new AppError('refused', 'The scope has no workloads that you see.', {
      errors: [{ field: 'scope', message: 'Choose another scope.' }],
    });
  }
  if (workloads.length > MAX_SCOPE) {
    throw refuseField('scope', `The scope has ${workloads.length} workloads. Choose one with at most ${MAX_SCOPE}.`);
  }
  return { name, workloads, owner: findOwner(workloads, reach.policies) };
}
