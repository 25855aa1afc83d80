import { cidrBounds, parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import { isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import { belongsTo, getOwnerId } from '@/domain/policy/acts-on';
import { listGroupCandidates, workloadEndpoint } from '@/domain/policy/propose-endpoint';
import { networkCidrs, resolveWorkloads } from '@/domain/policy/resolve';
import type { Evidence } from '@/domain/suggestion/draft';
import type { SuggestionWorkload } from '@/domain/suggestion/observed';
import type { PolicyInputs } from '../policies/policy-inputs';

const toAddress = (text: string) => {
  const ip = parseIp(text.split('/')[0] ?? text);
  return ip ? [formatIp(unmapIp(ip))] : [];
};

/** Workloads that policies of the owner can name, as they are now: each by an endpoint that resolves to it alone. */
export function listNameable(
  { index, workloads }: PolicyInputs,
  owner: Owned,
  flows: Reach,
  scope: ReadonlySet<string>,
): SuggestionWorkload[] {
  const of = getOwnerId(owner);
  return [...workloads.values()].flatMap((workload): SuggestionWorkload[] => {
    const known = index.workloads.get(workload.id);
    if (!known || known.template || !belongsTo(of, workload) || !isWithinReach(workload, flows)) return [];
    const addresses = known.addresses.flatMap(toAddress);
    if (addresses.length === 0) return [];
    const endpoint = workloadEndpoint(index, known, (one) => belongsTo(of, one));
    const found = resolveWorkloads(endpoint, index, of);
    if ('reason' in found || found.length !== 1 || found[0]?.id !== workload.id) return [];
    const { id, name, tags } = workload;
    return [{ id, name, tags, endpoint, addresses, in_scope: scope.has(id) }];
  });
}

/** Groups of the owner, and names that policies and groups must not have again. */
export function listKnown(
  { index, groups, policies }: PolicyInputs,
  owner: Owned,
): Pick<Evidence, 'known_groups' | 'taken'> {
  const of = getOwnerId(owner);
  const candidates = listGroupCandidates(index, of);
  const isSameOwner = (one: Owned) => one.tenant_id === owner.tenant_id && one.project_id === owner.project_id;
  return {
    known_groups: candidates.map(({ group: { id, name }, endpoint, ids }) => ({
      id,
      name,
      endpoint,
      workload_ids: [...ids],
    })),
    taken: {
      // The installation finds groups of all tenants by name: one more of that name would be ambiguous.
      groups: groups.filter((one) => of === null || getOwnerId(one) === of).map(({ name }) => name),
      policies: policies.filter(isSameOwner).map(({ name }) => name),
    },
  };
}

/** Last addresses of the IPv4 subnets that the owner sees. */
export function listBroadcasts({ index }: PolicyInputs, owner: Owned): Set<string> {
  const of = getOwnerId(owner);
  const cidrs = [...index.networks.values()].flat().flatMap((network) => networkCidrs(network, of) ?? []);
  return new Set(
    cidrs.flatMap((text) => {
      const cidr = parseCidr(text);
      return cidr && cidr.address.family === 4 && cidr.prefix < 31 ? [formatIp(cidrBounds(cidr).last)] : [];
    }),
  );
}
