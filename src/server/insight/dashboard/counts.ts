import type { PolicyStandings } from '@/domain/dashboard/dashboard';
import type { PostureFacts } from '@/domain/dashboard/security-posture';
import { parseCidr } from '@/domain/net/cidr';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { type DeploymentStatus, toDisplayStatus, worstStatus } from '@/domain/policy/status';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { workloadProtection } from '../../enforcement/policies/firewall-state/views';
import { getVisibleStatus, touchingPolicies } from '../../enforcement/policies/policies-in-reach';
import { isDeployed } from '../../enforcement/policies/policy-inputs';
import type { InputWorkload } from '../../enforcement/queries/policy-inputs';
import { objectCache } from '../../lib/cache';
import { type AddressBook, addressBook } from '../../traffic/flows/address-book';
import { flowStore } from '../../traffic/storage/flow-store';

const isRunningWorkload = ({ status, template, missing_since }: InputWorkload) =>
  status === 'running' && !template && missing_since === null;

type Counts = PostureFacts['enforcement'];

/** By board and reach: a board that nothing changed about is the same one. */
const counted = objectCache<FirewallState, Map<string, Counts>>({ name: 'enforcement_counts' });

function count(firewall: FirewallState, reach: Reach): Counts {
  const counts = { default_deny: 0, rules_default_accept: 0, no_rules: 0, off: 0, unknown: 0, without_interface: 0 };
  for (const workload of firewall.inputs.workloads.values()) {
    if (!isRunningWorkload(workload)) continue;
    if (!isWithinReach(workload, reach)) continue;
    counts[workloadProtection(firewall, workload.id) ?? 'without_interface'] += 1;
  }
  return counts;
}

/** Running workloads visible to the caller, by protection as last read. One that was never read is unknown. */
export function countEnforcement(firewall: FirewallState, reach: Reach): Counts {
  const known = counted.load(firewall, null, () => new Map<string, Counts>());
  const key = JSON.stringify(reach);
  const counts = known.get(key) ?? count(firewall, reach);
  known.set(key, counts);
  return counts;
}

/** More than these are for the list of policies. */
const MOST = 10;

/** Policies visible to the caller, by mode and by status as last read; no cluster is contacted. */
export function countPolicyStatuses(firewall: FirewallState, reach: Reach): PolicyStandings {
  const standings: PolicyStandings = {
    total: 0,
    enforced: 0,
    audit: 0,
    disabled: 0,
    active: 0,
    stale: 0,
    partial: 0,
    unresolved: 0,
    pending: 0,
    none: 0,
    attention: [],
  };
  const touching = new Set(touchingPolicies(firewall, reach));
  for (const policy of firewall.inputs.policies) {
    if (!isWithinReach(policy, reach) && !touching.has(policy.id)) continue;
    const { status: stored, deployments } = getVisibleStatus(firewall, policy, reach);
    const status = toDisplayStatus({ status: stored, deployments });
    standings.total += 1;
    standings[isDeployed(policy) ? 'enforced' : policy.enabled ? 'audit' : 'disabled'] += 1;
    standings[status] += 1;
    // What is not applied yet needs no attention.
    if (status === 'none' || status === 'active' || status === 'pending') continue;
    const reasons = [...new Set(deployments.flatMap((deployment) => deployment.reasons))];
    standings.attention.push({ policy_id: policy.id, policy_name: policy.name, status, reasons });
  }
  const worse = (a: DeploymentStatus, b: DeploymentStatus) => (a === b ? 0 : worstStatus([a, b]) === a ? -1 : 1);
  standings.attention = standings.attention
    .sort((a, b) => worse(a.status, b.status) || a.policy_name.localeCompare(b.policy_name, 'en'))
    .slice(0, MOST);
  return standings;
}

/** How long flows evaluated against an older inventory may still be stored after it changed. */
const FRESH_MS = 30_000;

const found = objectCache<AddressBook, Promise<readonly string[]>, number>({
  name: 'gone_subnets',
  isFresh: (at, now) => Math.abs(now - at) < FRESH_MS,
});

/** Whether a network is a known subnet today or part of one: its addresses are then inside. */
function isInside(book: AddressBook, text: string): boolean {
  const cidr = parseCidr(text);
  const holder = cidr && book.subnetOf(cidr.address);
  const outer = holder ? parseCidr(holder) : null;
  return cidr !== null && outer !== null && outer.prefix <= cidr.prefix;
}

/**
 * Today's address book, and the subnets that sources of flows to sensitive ports were in when they were stored but that are
 * no known subnets any more: their addresses may be outside now. At most one query besides those of the book.
 */
export async function readRemovedSubnets(): Promise<{ book: AddressBook; gone: readonly string[] }> {
  const book = await addressBook();
  const gone = await found.load(book, performance.now(), async () =>
    (await flowStore().sensitiveSources()).filter((text) => !isInside(book, text)),
  );
  return { book, gone };
}
