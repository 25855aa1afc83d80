import type { DeploymentProblem } from '@/domain/deployments';
import { actsOn } from '@/domain/policy/acts-on';
import { parseMarker } from '@/domain/policy/marker';
import { db } from '../../db/client';
import { concurrently } from '../../lib/concurrently';
import type { GuestFact } from '../../providers/hypervisor/types';
import type { PolicyWorld } from '../policies/world/load-policy-world';
import { listUnrestoredWorkloadIds } from '../queries/guest-firewalls';
import { listPlacedWorkloadIds } from '../queries/policy-placements';
import type { DeploymentSession } from './deployment-session';
import { failureKind } from './guest/failure-kind';
import { problemOf } from './guest/guest-problem';
import type { GuestWork } from './guest-work';
import { retriedGuests, type Work } from './plan-apply';

const READERS = 4;

/** Guests at which a rule of the policy stands, and those that could not be looked at. */
async function findMarked(
  session: DeploymentSession,
  instance: string,
  guests: readonly GuestFact[],
  nameOf: (guest: GuestFact) => string,
) {
  const marked: GuestFact[] = [];
  const problems: DeploymentProblem[] = [];
  const { policy_id } = session.deployment;
  await concurrently(guests, READERS, session.signal, async (guest) => {
    for (let tries = 0; ; tries++) {
      try {
        const { items } = await session.provider.firewallWriter.readRules(guest);
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
          const problem = problemOf(error);
          problems.push({ ...problem, message: `${nameOf(guest)}: ${problem.message}` });
          return;
        }
      }
    }
  });
  return { marked, problems };
}

/**
 * Every guest of the cluster on which the policy may act is looked at, not only those where it was applied: backups that were
 * restored and clones carry its rules as well. A guest that is not in the inventory is nobody's, so tenants are not told
 * its number.
 * @throws ProviderError when the cluster cannot be asked
 */
export async function planCleanup(session: DeploymentSession, world: PolicyWorld): Promise<Work> {
  const { deployment, provider } = session;
  const { tenant_id, cluster_id, policy_version } = deployment;
  const listing = await provider.inventory.listGuests();
  const byVmid = new Map(
    [...world.workloads.values()].filter((w) => w.cluster_id === cluster_id).map((w) => [w.vmid, w]),
  );
  const within = listing.items.filter(({ vmid }) => {
    const workload = byVmid.get(vmid);
    return workload === undefined || actsOn(deployment, workload);
  });
  const nameOf = ({ vmid }: GuestFact) =>
    tenant_id === null || byVmid.has(vmid) ? `Guest ${vmid}` : 'A guest that is not in the inventory yet';
  const { marked, problems } = await findMarked(session, world.instance, within, nameOf);
  const placed = await listPlacedWorkloadIds(db, deployment, cluster_id);
  const unrestored = await listUnrestoredWorkloadIds(db, deployment, cluster_id);
  const only = await retriedGuests(deployment);
  const found = marked.flatMap(({ vmid }) => byVmid.get(vmid)?.id ?? []);
  for (const guest of marked) {
    if (byVmid.has(guest.vmid)) continue;
    problems.push({
      code: 'not_in_inventory',
      message:
        tenant_id === null
          ? `Guest ${guest.vmid} has rules of the policy but is not in the inventory yet.`
          : `${nameOf(guest)} has rules of the policy.`,
      remedy: 'Sync the cluster, then retry.',
    });
  }
  if (!listing.complete) {
    problems.push({
      code: 'incomplete_list',
      message: `Guests that the API token may not see were not looked at: ${listing.incompleteReason ?? ''}`.trim(),
      remedy: 'Give the token VM.Audit on all guests, then retry.',
    });
  }
  const guests = [...new Set([...found, ...placed, ...unrestored])]
    .filter((id) => only === null || only.has(id) || found.includes(id))
    .flatMap((id): GuestWork[] => {
      const workload = world.workloads.get(id);
      return workload ? [{ workload, wanted: null }] : [];
    })
    .sort((a, b) => a.workload.vmid - b.workload.vmid);
  return { version: policy_version, guests, problems };
}
