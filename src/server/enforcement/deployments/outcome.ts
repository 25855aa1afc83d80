import type { AppliedCluster, AppliedGuest, ApplyResult, Deployment, DeploymentGuest } from '@/domain/deployments';
import { type Owned, toOwner } from '@/domain/permissions';
import { db, type Executor } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { pollUntil, type Waiting } from '../../lib/poll-until';
import type { RuleNamer } from '../guest-firewall/named-rules';
import { redactGuestResult } from '../guest-firewall/redact-state';
import { compileInputs, type PolicyInputs } from '../policies/policy-inputs';
import { listGuestsByDeployments } from '../queries/deployment-guests';
import { listDeploymentsByIds, withGuestProblems } from '../queries/deployments';
import type { PolicyState } from '../queries/policy-placements';

type Unresolved = ApplyResult['unresolved'];

/** Endpoints of the policy that resolve to nothing. */
export const listUnresolved = (inputs: PolicyInputs, policyId: string): Unresolved =>
  compileInputs(inputs)
    .unresolved.filter(({ policy_id }) => policy_id === policyId)
    .map(({ side, endpoint, reason }) => ({ side, endpoint, reason }));

function toAppliedGuest({
  deployment_id: _,
  id: _id,
  started_at: _start,
  finished_at: _end,
  ...guest
}: DeploymentGuest): AppliedGuest {
  return guest;
}

const toAppliedCluster = (deployment: Deployment, guests: readonly DeploymentGuest[]): AppliedCluster => ({
  cluster_id: deployment.cluster_id,
  cluster_name: deployment.cluster_name,
  deployment_id: deployment.id,
  status: deployment.status,
  problems: deployment.problems,
  notes: deployment.notes,
  guests: guests.filter(({ deployment_id }) => deployment_id === deployment.id).map(toAppliedGuest),
});

const IN_FORCE = ['ok', 'unchanged', 'partial'];

/** Problems and notes of all clusters, as one text. */
function formatMessage(clusters: readonly AppliedCluster[], finished: boolean): string | null {
  if (!finished) return 'The operation is still running. Get its deployments for the result.';
  const many = clusters.length > 1;
  const texts = clusters.flatMap(({ cluster_name, problems, notes }) =>
    [...problems, ...notes].map(({ message }) => (many ? `${cluster_name}: ${message}` : message)),
  );
  return texts.length > 0 ? [...new Set(texts)].join(' ').slice(0, 2_000) : null;
}

/** What has become of these deployments by now. @param namer for the reader */
export async function applyResult(
  policy: PolicyState,
  ids: readonly string[],
  unresolved: Unresolved,
  namer: RuleNamer,
): Promise<ApplyResult> {
  const deployments = await withGuestProblems(db, await listDeploymentsByIds(db, ids));
  const guests = await listGuestsByDeployments(
    db,
    deployments.map(({ id }) => id),
  );
  const clusters = deployments.map((deployment) =>
    toAppliedCluster(
      deployment,
      guests.map((guest) => redactGuestResult(guest, namer)),
    ),
  );
  const finished = deployments.every(({ finished_at }) => finished_at !== null);
  return {
    policy_id: policy.id,
    policy_version: deployments[0]?.policy_version ?? policy.version,
    policy_mode: policy.definition.enforcement_mode,
    dry_run: false,
    success: finished && deployments.every(({ status }) => status === 'ok'),
    applied: clusters.some((cluster) => cluster.guests.some(({ status }) => IN_FORCE.includes(status))),
    message: formatMessage(clusters, finished),
    operation_id: deployments[0]?.operation_id ?? null,
    finished,
    clusters,
    unresolved,
  };
}

/** Waits until all of these deployments have ended, the time is over, or `signal` aborts. */
export async function awaitDeployments(ids: readonly string[], waiting?: Waiting): Promise<void> {
  await pollUntil(
    () => listDeploymentsByIds(db, ids),
    (deployments) => deployments.every(({ finished_at }) => finished_at !== null),
    waiting,
  );
}

/** Publishes that a deployment started, continued or ended, when the transaction commits. */
export const publishDeploymentChange = (
  tx: Executor,
  { id, policy_id, ...owner }: Owned & { id: string; policy_id: string },
): Promise<void> => publishEvent(tx, { type: 'deployment.changed', deployment_id: id, policy_id, ...toOwner(owner) });
