import type { DeploymentProblem } from '@/domain/deployments';
import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { clusterAccess, openProvider } from '../../inventory/cluster-access';
import { findClusterRow } from '../../inventory/queries/clusters';
import { changeAdvance, firewallObserve } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { forEachConcurrent } from '../../lib/for-each-concurrent';
import { logger } from '../../lib/logger';
import { ProviderError } from '../../providers/hypervisor/errors';
import { loadPolicyInputs, type PolicyInputs } from '../policies/policy-inputs';
import {
  insertDeploymentGuests,
  listGuestsByDeployments,
  resetDeploymentGuests,
  updateDeploymentGuest,
} from '../queries/deployment-guests';
import { deploymentLeases, listDeploymentsByIds, withGuestProblems } from '../queries/deployments';
import { listOwnedBy, recordFailedRemovals } from '../queries/residual-rules';
import { planApply, planCleanup, planLogRemoval, planRemoval, type Work } from './choose-guests';
import { deployToGuest, verifyOutcome } from './deploy-to-guest';
import { DeploymentSession, type HeldDeployment } from './deployment-session';
import { toDeploymentProblem } from './guest/perform-step';
import type { GuestWork } from './guest-work';
import { publishDeploymentChange } from './outcome';

type Context = {
  /** Aborts when the worker has to end; the deployment then waits for another one. */
  signal: AbortSignal;
  /** Replaced by tests. */
  openProvider?: typeof openProvider;
  pause?: (ms: number) => Promise<void>;
};

/** Guests processed concurrently; the provider's own limits bound the calls. */
const GUESTS_AT_ONCE = 6;
const DONE = ['ok', 'unchanged'] as const;

const scope = systemScope('policy:apply', 'policy deployment');

function claim(id: string): Promise<HeldDeployment | null> {
  return db.transaction(async (tx) => {
    const row = await deploymentLeases.claim(tx, { id });
    if (row) await publishDeploymentChange(tx, row);
    return row;
  });
}

/** Stores which guests there are to do. Those that an earlier worker finished for the same version stay as they are. */
async function begin(session: DeploymentSession, { version, guests }: Work): Promise<GuestWork[]> {
  const { deployment } = session;
  await db.transaction(async (tx) => {
    await session.lease.store(tx, { policy_version: version });
    if (deployment.policy_version !== version) await resetDeploymentGuests(tx, deployment.id);
    await insertDeploymentGuests(
      tx,
      guests.map(({ workload }) => ({
        deployment_id: deployment.id,
        workload_id: workload.id,
        vmid: workload.vmid,
        name: workload.name,
      })),
    );
  });
  deployment.policy_version = version;
  const known = await listGuestsByDeployments(db, [deployment.id]);
  const finished = new Set(
    known.filter(({ status }) => (DONE as readonly string[]).includes(status)).map((guest) => guest.workload_id),
  );
  const open = guests.filter(({ workload }) => !finished.has(workload.id));
  session.total = guests.length;
  session.done = guests.length - open.length;
  session.lease.touch();
  return open;
}

/**
 * Processes every guest, several concurrently. A request that the cluster as a whole refuses is not repeated for the
 * remaining guests.
 * @returns whether the cluster answers
 */
async function deploy(
  session: DeploymentSession,
  inputs: PolicyInputs,
  guests: readonly GuestWork[],
): Promise<boolean> {
  let broken: readonly DeploymentProblem[] | null = null;
  await forEachConcurrent(guests, GUESTS_AT_ONCE, session.signal, async (work) => {
    if (broken) {
      const key = { deployment_id: session.deployment.id, workload_id: work.workload.id };
      const finished_at = clock.now().toISOString();
      await updateDeploymentGuest(db, key, { status: 'failed', problems: [...broken], finished_at });
      session.done += 1;
      session.lease.touch();
      return;
    }
    const end = await deployToGuest(session, inputs, work);
    if (end.broken) broken = end.problems;
  });
  return broken === null;
}

/** Ends the deployment with what its guests say. */
async function finish({ deployment, lease, done, total }: DeploymentSession, problems: DeploymentProblem[]) {
  await lease.stop();
  const at = clock.now().toISOString();
  await db.transaction(async (tx) => {
    const guests = await listGuestsByDeployments(tx, [deployment.id]);
    const counts: Record<string, number> = {};
    for (const { status } of guests) counts[status] = (counts[status] ?? 0) + 1;
    const good = (counts.ok ?? 0) + (counts.unchanged ?? 0);
    const some = good + (counts.partial ?? 0);
    const allGood = good === guests.length && problems.length === 0;
    const status = allGood ? ('ok' as const) : some > 0 ? ('partial' as const) : ('failed' as const);
    const writes = guests.reduce((sum, guest) => sum + guest.writes, 0);
    const outcome = {
      status,
      problems,
      progress_done: done,
      progress_total: total ?? guests.length,
      writes,
      finished_at: at,
    };
    if (!(await deploymentLeases.finish(tx, deployment, outcome))) return;
    await publishDeploymentChange(tx, deployment);
    const [described] = await withGuestProblems(tx, await listDeploymentsByIds(tx, [deployment.id]));
    const notes = described?.notes ?? [];
    if (deployment.kind === 'removal') {
      await recordFailedRemovals(tx, deployment.id, deployment.policy_id, problems[0] ?? null, at);
    }
    await recordAudit(tx, scope, {
      action: status === 'ok' ? `policy.${DID[deployment.kind]}` : `policy.${deployment.kind}_${status}`,
      object_kind: 'policy',
      object_id: deployment.policy_id,
      object_name: deployment.policy_name,
      tenant_id: deployment.tenant_id,
      after: {
        project_id: deployment.project_id,
        deployment_id: deployment.id,
        cluster_id: deployment.cluster_id,
        policy_version: deployment.policy_version,
        guests: counts,
        writes,
        problems,
        ...(notes.length > 0 && { notes }),
      },
    });
  });
}

function planWork(session: DeploymentSession, inputs: PolicyInputs): Promise<Work> {
  switch (session.deployment.kind) {
    case 'apply':
      return planApply(session.deployment, inputs);
    case 'cleanup':
      return planCleanup(session, inputs);
    case 'removal':
      return planRemoval(session.deployment, inputs);
    case 'log_removal':
      return Promise.resolve(planLogRemoval(session.deployment, inputs));
  }
}

const DID = {
  apply: 'applied',
  cleanup: 'cleaned_up',
  removal: 'removed_after_move',
  log_removal: 'log_removed',
} as const;

async function carryOut(session: DeploymentSession, context: Context): Promise<DeploymentProblem[]> {
  const inputs = await loadPolicyInputs();
  const { deployment } = session;
  const work = await planWork(session, inputs);
  const open = await begin(session, work);
  if (!(await deploy(session, inputs, open))) return work.problems;
  const owned = await listOwnedBy(
    db,
    deployment,
    work.guests.map(({ workload }) => workload.id),
  );
  const guests = work.guests.filter(({ workload }) => owned.has(workload.id));
  return [...work.problems, ...(await verifyOutcome(session, inputs, guests, context.openProvider))];
}

/** Where something may have changed, and the change that continues then. */
type Done = { readonly cluster_id: string; readonly change_id: string | null };

/**
 * Runs a waiting deployment; does nothing when it is not to be run or another worker has it. Failures of the cluster
 * and of guests are outcomes, stored with their remedy. Whatever happens to the process, another one continues.
 * @returns the cluster when something may have changed there
 * @throws the reason of `signal` when it aborts, and database errors: both leave the deployment for another worker
 */
export async function runDeployment(id: string, context: Context): Promise<Done | null> {
  const deployment = await claim(id);
  const cluster = deployment && (await findClusterRow(db, deployment.cluster_id));
  if (!cluster) return null;
  const session = new DeploymentSession(deployment, {
    ...context,
    openProvider: () => (context.openProvider ?? openProvider)(clusterAccess(cluster)),
  });
  const changed: Done = { cluster_id: cluster.id, change_id: deployment.change_id };
  try {
    return await session.lease.carryOut({
      work: async () => {
        await finish(session, await carryOut(session, context));
        return changed;
      },
      release: () => deploymentLeases.release(db, deployment),
      fail: async (error) => {
        const isExpected = error instanceof ProviderError || error instanceof AppError;
        if (!isExpected) session.lease.log.error({ err: error }, 'deployment failed unexpectedly');
        await finish(session, [
          error instanceof AppError
            ? { code: error.code, message: error.message, remedy: null }
            : toDeploymentProblem(error),
        ]);
        return changed;
      },
    });
  } finally {
    session.close();
  }
}

/** Runs a deployment, then has its change go on, and the cluster's guests read again so that pages show its result. */
export async function deployAndObserve(id: string, signal: AbortSignal): Promise<void> {
  const done = await runDeployment(id, { signal });
  if (!done) return;
  const { cluster_id, change_id } = done;
  try {
    if (change_id !== null) await enqueue(changeAdvance, { change_id });
    await enqueue(firewallObserve, { cluster_id });
  } catch (error) {
    logger.warn({ err: error, cluster_id }, 'cannot queue a read of the cluster; the next scheduled read updates it');
  }
}
