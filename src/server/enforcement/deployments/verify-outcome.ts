import type { DeploymentProblem } from '@/domain/deployments';
import { reasonsText } from '@/domain/notifications/drift';
import { deploymentStatus } from '@/domain/policy/status';
import { db } from '../../db/client';
import type { openProvider } from '../../inventory/open-provider';
import { type ClusterReadings, readLive } from '../guest-firewall/live-reader';
import { guestView } from '../policies/board/guest-view';
import type { PolicyWorld } from '../policies/world/load-policy-world';
import { listWorkloadIdsBy } from '../queries/deployment-guests';
import type { DeploymentSession } from './deployment-session';
import type { GuestWork } from './guest-work';

const CONCURRENCY = 6;

const CLUSTER_OFF: DeploymentProblem = {
  code: 'cluster_firewall_off',
  message: 'The firewall of the cluster is off: rules are stored, but nothing is filtered.',
  remedy: 'Switch it on in the options of the data center. That also filters access to the nodes.',
};

const inWords = (reasons: Parameters<typeof reasonsText>[0]): DeploymentProblem => ({
  code: reasons[0] ?? 'not_in_force',
  message: `Everything was written, but the policy is not fully in force: ${reasonsText(reasons)}.`,
  remedy: 'Open the guests of the policy to see what differs, then apply again.',
});

/** What keeps a policy from being in force although its guests were written, by a reading made afterwards. */
function notInForce(
  { deployment: { policy_id } }: DeploymentSession,
  world: PolicyWorld,
  guests: readonly GuestWork[],
  { cluster, guests: read }: ClusterReadings,
): DeploymentProblem[] {
  const views = guests.map(({ workload, wanted }) =>
    guestView(world, workload, wanted, read.get(workload.id)?.state ?? null, cluster.state),
  );
  const { status, reasons } = deploymentStatus(policy_id, true, false, views);
  if (status === 'active' || status === 'unresolved') return [];
  const others = reasons.filter((reason) => reason !== CLUSTER_OFF.code);
  return [...(others.length < reasons.length ? [CLUSTER_OFF] : []), ...(others.length > 0 ? [inWords(others)] : [])];
}

/**
 * Reads what was written before the deployment ends, so that whoever waited for it sees the new state at once, and compares
 * it with what is wanted. @returns what is not in force though nothing failed
 */
export async function verifyOutcome(
  session: DeploymentSession,
  world: PolicyWorld,
  guests: readonly GuestWork[],
  provider?: typeof openProvider,
): Promise<DeploymentProblem[]> {
  const { deployment, signal } = session;
  if (guests.length === 0) return [];
  const readings = await readLive(
    deployment.cluster_id,
    guests.map(({ workload }) => workload),
    { concurrency: CONCURRENCY, signal, afresh: true, replace: true, ...(provider && { openProvider: provider }) },
  );
  if (deployment.kind !== 'apply') return [];
  const done = await listWorkloadIdsBy(db, deployment.id, ['ok', 'unchanged']);
  const written = guests.filter(({ workload, wanted }) => wanted && done.has(workload.id));
  return written.length > 0 ? notInForce(session, world, written, readings) : [];
}
