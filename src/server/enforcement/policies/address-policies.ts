import type { AddressPolicies } from '@/domain/ipam/address-policies';
import type { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import { parseIp } from '@/domain/net/ip-address';
import { isWithinReach } from '@/domain/permissions';
import { comparePolicies } from '@/domain/policy/tier';
import { listTouches, TOUCHED_BY } from '@/domain/policy/touches';
import { findIpAddressDetail } from '../../addresses/queries/ip-addresses';
import { searchIpam } from '../../addresses/search';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { listTestEnds } from '../queries/policy-tests';
import { listGroupNames } from '../queries/security-groups';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState } from './firewall-state/read-firewall-state';
import { getVisibleStatus, touchingPolicies } from './policies-in-reach';
import { isDeployed } from './policy-inputs';

/** Policies for any address touch every one: more are counted, not listed. */
const MOST_POLICIES = 200;

/** The visible policies that touch any of some addresses, those that name one or its workload first, then by name. */
async function listTouchingPolicies(
  { reach }: Scope<'policy:read'>,
  subjects: readonly { address: string; workload_id: string | null }[],
): Promise<NonNullable<IpamSearchResult['policies']>> {
  const firewall = await readFirewallState();
  const { inputs } = firewall;
  const touching = new Set(touchingPolicies(firewall, reach));
  const visible = inputs.policies.filter((policy) => isWithinReach(policy, reach) || touching.has(policy.id));
  const found = subjects.flatMap(({ address: text, workload_id }) => {
    const address = parseIp(text);
    if (!address) return [];
    return visible.flatMap((policy) => {
      const ways = listTouches(policy, { address, workload_id }, inputs.index).map(({ by }) => by);
      const by = TOUCHED_BY.find((way) => ways.includes(way));
      return by ? [{ policy_id: policy.id, name: policy.name, enabled: policy.enabled, address: text, by }] : [];
    });
  });
  const unique = new Map(found.map((row) => [`${row.policy_id} ${row.address} ${row.by}`, row]));
  const rank = ({ by }: (typeof found)[number]) => TOUCHED_BY.indexOf(by);
  return [...unique.values()].sort(
    (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, 'en') || a.address.localeCompare(b.address, 'en'),
  );
}

type TouchScopes = {
  policy: Scope<'policy:read'>;
  group: Scope<'group:read'> | null;
  test: Scope<'policy_test:read'> | null;
};

/** The visible groups with the workload as a member; null to users who may not see groups. */
async function listMemberGroups(scope: TouchScopes['group'], firewall: FirewallState, workloadId: string | null) {
  if (!scope) return null;
  const ids = new Set<string>();
  for (const groups of firewall.inputs.index.groups.values())
    for (const { id, workload_ids } of groups) if (workloadId && workload_ids.includes(workloadId)) ids.add(id);
  return ids.size === 0 ? [] : listGroupNames(db, scope.reach, [...ids]);
}

/** The visible tests with an end that resolves to the address; null to users who may not see tests. */
async function listTouchingTests(
  scope: TouchScopes['test'],
  firewall: FirewallState,
  subject: Parameters<typeof listTouches>[1],
): Promise<AddressPolicies['tests']> {
  if (!scope) return null;
  return (await listTestEnds(db, scope.reach)).flatMap(({ id, name, tenant_id, project_id, from, to }) => {
    const definition = { sources: from, targets: to } as Parameters<typeof listTouches>[0]['definition'];
    const touches = listTouches({ tenant_id, project_id, definition }, subject, firewall.inputs.index);
    return touches.length > 0 ? [{ policy_test_id: id, name, touches }] : [];
  });
}

/**
 * The policies with an endpoint that resolves to an address, including disabled and audit-mode ones. No cluster is
 * contacted.
 * @throws AppError `not_found`
 */
export async function listAddressPolicies(scopes: TouchScopes, id: string): Promise<AddressPolicies> {
  const { reach } = scopes.policy;
  const found = await findIpAddressDetail(reach, id);
  const address = found && parseIp(found.address);
  if (!found || !address) throw notFound('address');
  const firewall = await readFirewallState();
  const subject = { address, workload_id: found.workload?.id ?? null };
  const touching = firewall.inputs.policies.flatMap((policy) => {
    const touches = listTouches(policy, subject, firewall.inputs.index);
    return touches.length > 0 ? [{ policy, touches }] : [];
  });
  const inReach = new Set(touchingPolicies(firewall, reach));
  const isVisible = ({ policy }: (typeof touching)[number]) => isWithinReach(policy, reach) || inReach.has(policy.id);
  const visible = touching.filter(isVisible);
  // The answer shows that the installation's policies filter the address, if not how; those of other tenants do not
  // exist.
  const hidden = touching.filter((one) => !isVisible(one) && one.policy.tenant_id === null);
  const isNamed = ({ policy }: (typeof touching)[number]) =>
    policy.tenant_visibility !== 'hidden' &&
    isDeployed(policy) &&
    firewall.desiredAt(subject.workload_id ?? '')?.rules.some(({ policy_id }) => policy_id === policy.id) === true;
  const platform = hidden
    .filter(isNamed)
    .map(({ policy }) => policy)
    .sort(comparePolicies)
    .map(({ name, tier }) => ({ name, tier }));
  const policies = visible.map(({ policy, touches }) => ({
    policy_id: policy.id,
    name: policy.name,
    enabled: policy.enabled,
    enforcement_mode: policy.definition.enforcement_mode,
    deployment_status: getVisibleStatus(firewall, policy, reach).status,
    touches,
  }));
  const byAnyOnly = ({ touches }: (typeof policies)[number]) => Number(touches.every(({ by }) => by === 'any'));
  policies.sort((a, b) => byAnyOnly(a) - byAnyOnly(b) || a.name.localeCompare(b.name, 'en'));
  const [groups, tests] = await Promise.all([
    listMemberGroups(scopes.group, firewall, subject.workload_id),
    listTouchingTests(scopes.test, firewall, subject),
  ]);
  return { policies, platform, hidden: hidden.length - platform.length, groups, tests };
}

type SearchScopes = { ipam: Scope<'ipam:read'>; policy: Scope<'policy:read'> | null };

/** Whose a pasted address, MAC address or name is, and which policies touch its addresses. No cluster is contacted. */
export async function findWhose({ ipam, policy }: SearchScopes, input: IpamSearchInput): Promise<IpamSearchResult> {
  const found = await searchIpam(ipam, input);
  const subjects = found.addresses.map(({ address, workload_id }) => ({ address, workload_id }));
  // Policies name addresses that no one has as well.
  if (found.kind === 'address' && subjects.length === 0) subjects.push({ address: found.q, workload_id: null });
  const policies = policy && (await listTouchingPolicies(policy, subjects));
  return { ...found, policies: policies?.slice(0, MOST_POLICIES) ?? null, policies_total: policies?.length ?? null };
}
