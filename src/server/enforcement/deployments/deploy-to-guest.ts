import { setImmediate } from 'node:timers/promises';
import type { DeploymentProblem } from '@/domain/deployments';
import { reasonsText } from '@/domain/notifications/drift';
import { describeOversize, findOversize } from '@/domain/policy/file-size';
import { isSwitch } from '@/domain/policy/plan/approved-plan';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import { settleWritten } from '@/domain/policy/plan/switch-changes';
import { deploymentStatus } from '@/domain/policy/status';
import type { DormantView } from '@/domain/policy-preview';
import { db } from '../../db/client';
import type { openProvider } from '../../inventory/cluster-access';
import { clock } from '../../lib/clock';
import { ProviderError } from '../../providers/hypervisor/errors';
import { type ClusterSnapshots, readLive } from '../guest-firewall/live-reader';
import { toGuestFilter } from '../guest-firewall/read-guest-live';
import { guestView } from '../policies/firewall-state/views';
import { isDeployed, type PolicyInputs } from '../policies/policy-inputs';
import { dormantAt } from '../policies/preview/preview-guest';
import { findStateBeforeChange } from '../queries/change-rollouts';
import { findStateBefore, listWorkloadIdsBy, updateDeploymentGuest } from '../queries/deployment-guests';
import { listKnownContent } from '../queries/firewall-snapshots';
import {
  clearDefaults,
  clearOrigin,
  type GuestFirewallRow,
  recordBaseline,
  recordDefaults,
  recordSwitches,
} from '../queries/guest-firewalls';
import { deletePlacement, findPolicyState, listPlacementsAt, upsertPlacement } from '../queries/policy-placements';
import { lockWorkloadForShare } from '../queries/residual-rules';
import type { DeploymentSession } from './deployment-session';
import { approveWrites } from './guest/approve-writes';
import { GuestProblem } from './guest/perform-step';
import type { ReadGuest } from './guest/read-guest-filter';
import { failedOutcome, type GuestOutcome, reconcileGuest } from './guest/reconcile-guest';
import { removeTemporaryLog } from './guest/remove-temporary-log';
import {
  type GuestWork,
  getPolicyDrops,
  intentFor,
  isBeforeFabric,
  selectPolicyRules,
  toGuestOrigin,
} from './guest-work';
import { assertActsOn } from './removal/residual-rules';
import { settleRemoval } from './removal/settle';

const busy: DeploymentProblem = {
  code: 'guest_busy',
  message: 'Timed out waiting for another deployment that writes to the workload.',
  remedy: 'Retry when that deployment has ended.',
};

/** The guest is not to be written to now. */
async function assertStillDesired({ deployment }: DeploymentSession, workloadId: string): Promise<void> {
  await assertActsOn(db, deployment, workloadId);
  const { policy_id, policy_version: version, kind } = deployment;
  if (kind === 'removal' || kind === 'log_removal') return;
  const policy = await findPolicyState(db, policy_id);
  const deployed = policy !== null && isDeployed(policy);
  if (kind === 'apply' && !(deployed && policy.version === version)) {
    throw new GuestProblem(
      {
        code: 'policy_changed',
        message: deployed
          ? `The policy was changed to version ${policy.version} while version ${version} was being applied.`
          : 'The policy was disabled, set to audit mode or deleted while it was being applied.',
        remedy: deployed ? 'Apply the policy again.' : 'No action is needed: the rules are being removed.',
      },
      true,
    );
  }
  if (kind === 'cleanup' && deployed) {
    throw new GuestProblem(
      {
        code: 'policy_enforced_again',
        message: 'The policy was enforced again before its rules were removed. The rules were left in place.',
        remedy: 'Apply the policy.',
      },
      true,
    );
  }
}

async function findMissingProblem(
  session: DeploymentSession,
  work: GuestWork,
  outcome: GuestOutcome,
): Promise<GuestProblem | null> {
  if (outcome.status !== 'failed' || !outcome.problems.some(({ code }) => code === 'not_found')) return null;
  const { vmid, kind, node_name } = work.workload;
  const presence = await session.provider.inventory
    .guestPresence({ vmid, kind, node: node_name ?? '' })
    .catch(() => 'unknown' as const);
  if (presence !== 'absent') return null;
  return new GuestProblem(
    {
      code: 'guest_missing',
      message: `Workload ${vmid} no longer exists.`,
      remedy: 'No action is needed: the next sync removes the workload from the inventory.',
    },
    true,
  );
}

/** What is stored at the guest and takes effect with the switches that are turned on. */
async function dormantAtGuest(
  session: DeploymentSession,
  workload: GuestWork['workload'],
  intent: GuestIntent,
  { snapshot }: ReadGuest,
): Promise<DormantView[] | null> {
  const filter = toGuestFilter(snapshot);
  if (!filter || !planGuest(filter, intent).steps.some(isSwitch)) return filter && [];
  const cluster = await session.clusterFirewall().catch((error: unknown) => {
    if (error instanceof ProviderError) return null;
    throw error;
  });
  return cluster && dormantAt(filter, intent, { workload, state: snapshot, cluster });
}

async function reconcile(
  session: DeploymentSession,
  inputs: PolicyInputs,
  work: GuestWork,
  row: GuestFirewallRow,
): Promise<GuestOutcome> {
  const { deployment } = session;
  const { policy_id, kind } = deployment;
  const { workload } = work;
  const key = { deployment_id: deployment.id, workload_id: workload.id };
  const placements = await listPlacementsAt(db, workload.id);
  const intent = intentFor(inputs, policy_id, kind === 'apply' ? 'apply' : 'cleanup', work, { row, placements });
  const { fingerprints } = deployment;
  const drops = getPolicyDrops(policy_id, work);
  // Gone when the policy was deleted, and then nothing of it is noted.
  const policy = inputs.policies.find(({ id }) => id === policy_id);
  const placement = {
    policy_id,
    workload_id: workload.id,
    policy_version: deployment.policy_version,
    rules: selectPolicyRules(policy_id, work),
    ...drops,
    tier: policy?.tier ?? 'tenant',
    priority: policy?.priority ?? 0,
  };
  if (workload.lock === 'create' || workload.lock === 'clone') {
    throw new GuestProblem({
      code: 'guest_locked',
      message: `Workload ${workload.vmid} is still being created (${workload.lock}).`,
      remedy: 'Apply the policy again when the workload is ready.',
    });
  }
  const nothing = { rules: false, options: false, sets: false };
  const known = (await listKnownContent(db, [workload.id])).get(workload.id) ?? nothing;
  const outcome = await reconcileGuest({
    provider: session.provider,
    guest: { node: workload.node_name ?? '', kind: workload.kind, vmid: workload.vmid },
    fingerprint: workload.creation_fingerprint,
    intent,
    // What is cleaned up was chosen because it has rules, or had some.
    known: { ...known, rules: known.rules || kind !== 'apply' },
    origin: toGuestOrigin(row),
    mayWrite: () => session.lease.assertHeld(),
    assertDesired: (written) => assertActsOn(db, deployment, workload.id, written),
    pause: (ms) => session.pause(ms),
    ...(fingerprints && {
      approve: approveWrites({
        fingerprint: fingerprints[workload.id] ?? null,
        workload,
        intent,
        before: await findStateBefore(db, deployment, workload.id),
        isInChange: deployment.change_id !== null,
        readCluster: () => session.clusterFirewall(),
        onChanged: (difference) => updateDeploymentGuest(db, key, { difference }),
      }),
    }),
    async onPlan(state, plan) {
      const oversize = findOversize(state, intent);
      if (oversize) {
        throw new GuestProblem({
          code: 'firewall_file_too_large',
          message: `${describeOversize(oversize, `${workload.name} (${workload.vmid})`)} Nothing was written.`,
          remedy: 'Reduce the rules of the policy, then apply it again.',
        });
      }
      // Other guests are planned at the same time, and leases are to be renewed.
      await setImmediate();
      const dormant = await dormantAtGuest(session, workload, intent, state);
      const { rules, options, sets, nics, aliases } = state;
      const before: GuestFilter = { rules, options, sets, nics, ...(aliases && { aliases }) };
      const first = intent.switch_on && placements.length === 0 && isBeforeFabric(before, inputs.instance);
      await db.transaction(async (tx) => {
        // A move waits for this, or this finds that it happened: what is applied is noted before or not applied at all.
        await lockWorkloadForShare(tx, workload.id);
        await assertActsOn(tx, deployment, workload.id);
        // Before the first write, so that every managed rule has a record.
        if (intent.switch_on) await upsertPlacement(tx, { ...placement, applied_at: null });
        if (first) await recordBaseline(tx, workload.id, before);
        await updateDeploymentGuest(tx, key, { state_before: before, plan, dormant });
      });
      return first ? { ...toGuestOrigin(row), baseline: row.baseline ?? before } : undefined;
    },
    onSwitch: (written) => recordSwitches(db, workload.id, written),
    onDefault: (before) =>
      recordDefaults(db, workload.id, {
        ...(before.in && { default_in_before: before.in }),
        ...(before.out && { default_out_before: before.out }),
      }),
  });
  if (outcome.status === 'failed') return outcome;
  await db.transaction(async (tx) => {
    // Rules are as desired, or the problem names an interface on which they are not enforced.
    if (intent.switch_on) await upsertPlacement(tx, { ...placement, applied_at: clock.now().toISOString() });
    else await deletePlacement(tx, policy_id, workload.id);
    if (kind === 'removal') await settleRemoval(tx, deployment, workload.id);
    if (intent.restore && outcome.status !== 'partial') return clearOrigin(tx, workload.id);
    if (outcome.state) await recordSwitches(tx, workload.id, settleWritten(outcome.written, outcome.state));
    const restored = {
      ...(typeof intent.default_in === 'object' && { default_in_before: null }),
      ...(typeof intent.default_out === 'object' && { default_out_before: null }),
    };
    if (Object.keys(restored).length > 0) await clearDefaults(tx, workload.id, restored);
  });
  return outcome;
}

/** A change that is rolled back knows how the guest was before it, where nothing older is known. */
async function completeOrigin(
  { change_id, wave }: DeploymentSession['deployment'],
  row: GuestFirewallRow,
): Promise<GuestFirewallRow> {
  if (row.baseline !== null || change_id === null || (wave ?? 0) >= 0) return row;
  return { ...row, baseline: await findStateBeforeChange(db, change_id, row.workload_id) };
}

/** What became of a guest, for the deployment as a whole. */
export type GuestEnd = { problems: readonly DeploymentProblem[]; broken: boolean; written: boolean };

/**
 * Brings one guest to the desired state of the deployment's policy, as its only writer, and stores the result.
 * @throws when the worker has to stop; the guest then waits for the worker that continues
 */
export async function deployToGuest(
  session: DeploymentSession,
  inputs: PolicyInputs,
  work: GuestWork,
): Promise<GuestEnd> {
  const { deployment } = session;
  const { workload } = work;
  const key = { deployment_id: deployment.id, workload_id: workload.id };
  const held = await session.holdGuest(workload.id);
  const row = held && (await completeOrigin(deployment, held));
  let outcome: GuestOutcome;
  let skipped = false;
  try {
    if (!row) throw new GuestProblem(busy);
    await updateDeploymentGuest(db, key, { status: 'running', started_at: clock.now().toISOString() });
    await assertStillDesired(session, workload.id);
    outcome =
      deployment.kind === 'log_removal'
        ? await removeTemporaryLog(session, inputs, work, row)
        : await reconcile(session, inputs, work, row);
    const gone = await findMissingProblem(session, work, outcome);
    if (gone) {
      skipped = gone.skipped;
      const others = outcome.problems.filter(({ code }) => code !== 'not_found');
      outcome = { ...outcome, problems: [gone.problem, ...others] };
    }
  } catch (error) {
    if (!(error instanceof GuestProblem)) throw error;
    skipped = error.skipped;
    outcome = failedOutcome(error);
  } finally {
    if (row) await session.leaveGuest(workload.id);
  }
  const { status, writes, changes, switches, problems, notes, broken } = outcome;
  await updateDeploymentGuest(
    db,
    key,
    {
      status: skipped ? 'skipped' : status,
      changes,
      switches,
      problems,
      notes,
      finished_at: clock.now().toISOString(),
    },
    writes,
  );
  session.done += 1;
  session.writes += writes;
  session.lease.touch();
  return { problems, broken, written: status !== 'failed' };
}

const CONCURRENCY = 6;

const CLUSTER_OFF: DeploymentProblem = {
  code: 'cluster_firewall_off',
  message: 'The cluster firewall is off: rules are stored, but nothing is filtered.',
  remedy: 'Turn on the cluster firewall under Datacenter → Firewall → Options. It also filters access to the nodes.',
};

const describeReasons = (reasons: Parameters<typeof reasonsText>[0]): DeploymentProblem => ({
  code: reasons[0] ?? 'not_in_force',
  message: `Everything was written, but the policy is not fully enforced: ${reasonsText(reasons)}.`,
  remedy: 'Open the workloads of the policy to see what differs, then apply the policy again.',
});

/** Why a policy is not enforced although its guests were written, by a snapshot taken afterwards. */
function findUnenforced(
  { deployment: { policy_id } }: DeploymentSession,
  inputs: PolicyInputs,
  guests: readonly GuestWork[],
  { cluster, guests: read }: ClusterSnapshots,
): DeploymentProblem[] {
  const views = guests.map(({ workload, desired }) =>
    guestView(inputs, workload, desired, read.get(workload.id)?.state ?? null, cluster.state),
  );
  const { status, reasons } = deploymentStatus(policy_id, true, false, views);
  if (status === 'active' || status === 'unresolved') return [];
  const others = reasons.filter((reason) => reason !== CLUSTER_OFF.code);
  return [
    ...(others.length < reasons.length ? [CLUSTER_OFF] : []),
    ...(others.length > 0 ? [describeReasons(others)] : []),
  ];
}

/**
 * Reads what was written before the deployment ends, so that callers waiting for it see the new state immediately, and
 * compares it with the desired state. @returns what is not enforced although nothing failed
 */
export async function verifyOutcome(
  session: DeploymentSession,
  inputs: PolicyInputs,
  guests: readonly GuestWork[],
  provider?: typeof openProvider,
): Promise<DeploymentProblem[]> {
  const { deployment, signal } = session;
  if (guests.length === 0) return [];
  const snapshots = await readLive(
    deployment.cluster_id,
    guests.map(({ workload }) => workload),
    { concurrency: CONCURRENCY, signal, fresh: true, replace: true, ...(provider && { openProvider: provider }) },
  );
  if (deployment.kind !== 'apply') return [];
  const done = await listWorkloadIdsBy(db, deployment.id, ['ok', 'unchanged']);
  const written = guests.filter(({ workload, desired }) => desired && done.has(workload.id));
  return written.length > 0 ? findUnenforced(session, inputs, written, snapshots) : [];
}
