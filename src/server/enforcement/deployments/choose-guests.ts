import type { DeploymentProblem } from '@/domain/deployments';
import { actsOn } from '@/domain/policy/acts-on';
import { parseMarker } from '@/domain/policy/marker';
import { db } from '../../db/client';
import { forEachConcurrent } from '../../lib/for-each-concurrent';
import type { GuestFact } from '../../providers/hypervisor/types';
import { readConfirmed } from '../guest-firewall/emptied';
import { readUnrestored } from '../policies/planned-change';
import { compileInputs, isDeployed, type PolicyInputs } from '../policies/policy-inputs';
import { listGuestsByDeployments, listWorkloadIdsBy } from '../queries/deployment-guests';
import { listKnownContent } from '../queries/firewall-snapshots';
import { listPlacedWorkloadIds } from '../queries/policy-placements';
import type { DeploymentSession, HeldDeployment } from './deployment-session';
import { failureKind, toDeploymentProblem } from './guest/perform-step';
import { type GuestWork, listDesiredGuests, unmappedRules } from './guest-work';

export type Work = { version: number; guests: GuestWork[]; problems: DeploymentProblem[] };

const NOT_ENFORCED: DeploymentProblem = {
  code: 'policy_not_enforced',
  message: 'The policy is disabled, in audit mode or deleted, so it is not applied.',
  remedy: 'Enable it and set its mode to enforced, then apply it.',
};

/** Guests to which the deployment is limited, by its change or because it retries others; null: all. */
async function limitGuests({ retry_of, workload_ids }: HeldDeployment): Promise<ReadonlySet<string> | null> {
  if (workload_ids !== null) return new Set(workload_ids);
  return retry_of === null
    ? null
    : listWorkloadIdsBy(db, retry_of, ['failed', 'partial', 'queued', 'running', 'skipped']);
}

/** Guests of the cluster that the policy left and whose switches could not be restored then. */
async function listUnrestoredIn(deployment: HeldDeployment, inputs: PolicyInputs): Promise<string[]> {
  const { policy_id, cluster_id } = deployment;
  const found = await readUnrestored(inputs, [{ ...deployment, id: policy_id }]);
  return (found.get(policy_id) ?? []).filter((id) => inputs.workloads.get(id)?.cluster_id === cluster_id);
}

/**
 * Guests of the cluster where the policy wants something now, and those where something of it may stand from before: a
 * workload that left a group must lose its rules, too.
 */
export async function planApply(deployment: HeldDeployment, inputs: PolicyInputs): Promise<Work> {
  const { policy_id, cluster_id, policy_version } = deployment;
  const policy = inputs.policies.find(({ id }) => id === policy_id);
  if (!policy || !isDeployed(policy)) return { version: policy_version, guests: [], problems: [NOT_ENFORCED] };
  const compiled = compileInputs(inputs);
  const desired = new Map(
    compiled.guests.filter((guest) => guest.cluster_id === cluster_id).map((guest) => [guest.workload_id, guest]),
  );
  const placed = await listPlacedWorkloadIds(db, deployment, cluster_id);
  const unrestored = await listUnrestoredIn(deployment, inputs);
  const concerned = listDesiredGuests(compiled, policy_id)
    .filter((guest) => guest.cluster_id === cluster_id)
    .map(({ workload_id }) => workload_id)
    .filter((id) => {
      // Another owner may have the policy since the deployment was requested.
      const workload = inputs.workloads.get(id);
      return workload !== undefined && actsOn(deployment, workload);
    });
  const only = await limitGuests(deployment);
  // Rules of the policy may also have come back where it wants nothing and nothing of it was applied.
  const named = deployment.trigger === 'reconcile' ? (deployment.workload_ids ?? []) : [];
  const reconciled = named.filter((id) => {
    const workload = inputs.workloads.get(id);
    return workload?.cluster_id === cluster_id && actsOn(deployment, workload);
  });
  const guests = [...new Set([...concerned, ...placed, ...unrestored, ...reconciled])]
    .filter((id) => only === null || only.has(id))
    .flatMap((id): GuestWork[] => {
      const workload = inputs.workloads.get(id);
      return workload ? [{ workload, desired: desired.get(id) ?? null }] : [];
    })
    .sort((a, b) => a.workload.vmid - b.workload.vmid);
  const unmapped = unmappedRules(policy, compiled);
  return { version: policy.version, guests, problems: unmapped ? [unmapped] : [] };
}

/** These workloads, as far as they exist, with nothing that is desired there. */
const listNothingDesired = (ids: readonly string[], { workloads }: PolicyInputs): GuestWork[] =>
  ids
    .flatMap((id): GuestWork[] => {
      const workload = workloads.get(id);
      return workload ? [{ workload, desired: null }] : [];
    })
    .sort((a, b) => a.workload.vmid - b.workload.vmid);

const READERS = 4;

/** Guests at which a rule of the policy stands, and those that could not be looked at. */
async function findMarked(
  session: DeploymentSession,
  instance: string,
  guests: readonly GuestFact[],
  nameOf: (guest: GuestFact) => string,
  hadRules: (guest: GuestFact) => boolean,
) {
  const marked: GuestFact[] = [];
  const problems: DeploymentProblem[] = [];
  const { policy_id } = session.deployment;
  await forEachConcurrent(guests, READERS, session.signal, async (guest) => {
    for (let tries = 0; ; tries++) {
      try {
        const { items } = await readConfirmed(
          () => session.provider.firewallWriter.readRules(guest),
          (read) => read.items.length === 0 && hadRules(guest),
          (ms) => session.pause(ms),
        );
        const isOurs = items.some(({ comment }) => {
          const marker = parseMarker(comment);
          return marker?.instance === instance && marker.policy_id === policy_id;
        });
        if (isOurs) marked.push(guest);
        return;
      } catch (error) {
        const kind = failureKind(error);
        if (kind === 'broken') throw error;
        if (kind === 'again' && tries < 3) await session.pause(1_000 * 2 ** tries);
        else {
          const problem = toDeploymentProblem(error);
          problems.push({ ...problem, message: `${nameOf(guest)}: ${problem.message}` });
          return;
        }
      }
    }
  });
  return { marked, problems };
}

/**
 * Checks every guest of the cluster on which the policy may act, not only those where it was applied: restored backups
 * and clones carry its rules as well; a limited one only the guests that it names. A guest that is not in the inventory belongs to no tenant, so tenants do not see
 * its VMID.
 * @throws ProviderError when the cluster cannot be reached
 */
export async function planCleanup(session: DeploymentSession, inputs: PolicyInputs): Promise<Work> {
  const { deployment, provider } = session;
  const { tenant_id, cluster_id, policy_version } = deployment;
  if (deployment.workload_ids !== null) {
    return { version: policy_version, guests: listNothingDesired(deployment.workload_ids, inputs), problems: [] };
  }
  const listing = await provider.inventory.listGuests();
  const byVmid = new Map(
    [...inputs.workloads.values()].filter((w) => w.cluster_id === cluster_id).map((w) => [w.vmid, w]),
  );
  const within = listing.items.filter(({ vmid }) => {
    const workload = byVmid.get(vmid);
    return workload === undefined || actsOn(deployment, workload);
  });
  const formatGuestName = ({ vmid }: GuestFact) =>
    tenant_id === null || byVmid.has(vmid) ? `Workload ${vmid}` : 'A workload that is not in the inventory yet';
  const known = await listKnownContent(
    db,
    within.flatMap(({ vmid }) => byVmid.get(vmid)?.id ?? []),
  );
  const hadRules = ({ vmid }: GuestFact) => known.get(byVmid.get(vmid)?.id ?? '')?.rules ?? false;
  const { marked, problems } = await findMarked(session, inputs.instance, within, formatGuestName, hadRules);
  const placed = await listPlacedWorkloadIds(db, deployment, cluster_id);
  const unrestored = await listUnrestoredIn(deployment, inputs);
  const only = await limitGuests(deployment);
  const found = marked.flatMap(({ vmid }) => byVmid.get(vmid)?.id ?? []);
  for (const guest of marked) {
    if (byVmid.has(guest.vmid)) continue;
    problems.push({
      code: 'not_in_inventory',
      message:
        tenant_id === null
          ? `Workload ${guest.vmid} has rules of the policy but is not in the inventory yet.`
          : `${formatGuestName(guest)} has rules of the policy.`,
      remedy: 'Sync the cluster, then retry.',
    });
  }
  if (!listing.complete) {
    problems.push({
      code: 'incomplete_list',
      message:
        `Workloads that are hidden from the API token were not checked: ${listing.incompleteReason ?? ''}`.trim(),
      remedy: 'Grant the token VM.Audit on /vms (propagating), then retry.',
    });
  }
  const ids = [...new Set([...found, ...placed, ...unrestored])].filter(
    (id) => only === null || only.has(id) || found.includes(id),
  );
  return { version: policy_version, guests: listNothingDesired(ids, inputs), problems };
}

/** The workloads of a confirmed change at which rules are still logged. */
export const planLogRemoval = ({ policy_version, workload_ids }: HeldDeployment, inputs: PolicyInputs): Work => ({
  version: policy_version,
  guests: listNothingDesired(workload_ids ?? [], inputs),
  problems: [],
});

/** The workloads that were named when the removal was requested; no rules are desired there. */
export async function planRemoval({ id, policy_version }: HeldDeployment, inputs: PolicyInputs): Promise<Work> {
  const ids = (await listGuestsByDeployments(db, [id])).map(({ workload_id }) => workload_id);
  return { version: policy_version, guests: listNothingDesired(ids, inputs), problems: [] };
}
