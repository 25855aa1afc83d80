import { NOTHING_WRITTEN } from '@/domain/policy/plan/switch-changes';
import { db } from '../../../db/client';
import type { PolicyInputs } from '../../policies/policy-inputs';
import { updateDeploymentGuest } from '../../queries/deployment-guests';
import type { GuestFirewallRow } from '../../queries/guest-firewalls';
import { findTemporaryLog, settleTemporaryLog } from '../../queries/temporary-logs';
import type { DeploymentSession } from '../deployment-session';
import { type GuestWork, intentToUnlog } from '../guest-work';
import { assertActsOn } from '../removal/residual-rules';
import { type GuestOutcome, reconcileGuest } from './reconcile-guest';

const NOTHING_LOGGED: GuestOutcome = {
  ...{ status: 'unchanged', writes: 0, changes: null, problems: [], switches: [], notes: [], state: null },
  ...{ written: NOTHING_WRITTEN, broken: false },
};

/**
 * Ends the log level that a confirmed change gave the rules that it added. Nothing else is written: neither what someone edited
 * since, nor what the policy requires by now.
 */
export async function removeTemporaryLog(
  session: DeploymentSession,
  inputs: PolicyInputs,
  work: GuestWork,
  row: GuestFirewallRow,
): Promise<GuestOutcome> {
  const { deployment } = session;
  const { policy_id, change_id } = deployment;
  const { workload } = work;
  const pair = { policy_id, workload_id: workload.id };
  // Another change may have taken them over, at its own level and until its own end.
  const unlog = change_id === null ? null : await findTemporaryLog(db, change_id, pair);
  if (change_id === null || unlog === null) return NOTHING_LOGGED;
  const outcome = await reconcileGuest({
    provider: session.provider,
    guest: { node: workload.node_name ?? '', kind: workload.kind, vmid: workload.vmid },
    fingerprint: workload.creation_fingerprint,
    intent: intentToUnlog(inputs, policy_id, work, { row, placements: [] }, unlog),
    mayWrite: () => session.lease.assertHeld(),
    assertDesired: (written) => assertActsOn(db, deployment, workload.id, written),
    pause: (ms) => session.pause(ms),
    onPlan: async ({ rules, options, sets, nics }, plan) => {
      const key = { deployment_id: deployment.id, workload_id: workload.id };
      await updateDeploymentGuest(db, key, { state_before: { rules, options, sets, nics }, plan });
      return undefined;
    },
  });
  if (outcome.status !== 'failed') {
    await db.transaction((tx) => settleTemporaryLog(tx, change_id, pair));
  }
  return outcome;
}
