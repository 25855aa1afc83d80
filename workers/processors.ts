import { checkDirectoryAccounts } from '@/server/access/directory/check-accounts';
import { scheduleDiscovery } from '@/server/addresses/discovery/request-discovery';
import { runDiscovery } from '@/server/addresses/discovery/run-discovery';
import { sweepImports } from '@/server/addresses/imports/imports';

import { revalidateAll } from '@/server/enforcement/changes/review/revalidate';
import { advanceChange } from '@/server/enforcement/changes/rollout/advance-change';
import { scheduleChanges, startScheduledChanges } from '@/server/enforcement/changes/rollout/start-scheduled';
import { countCoverage } from '@/server/enforcement/coverage/count-coverage';
import { deployAndObserve } from '@/server/enforcement/deployments/run-deployment';
import { scheduleDeployments } from '@/server/enforcement/deployments/schedule';
import { removeExpired } from '@/server/enforcement/expiry/remove-expired';
import { observeCluster, scheduleObservations } from '@/server/enforcement/guest-firewall/observe';
import { checkHygiene } from '@/server/enforcement/hygiene/run-hygiene';
import { sweepImpacts } from '@/server/enforcement/impact/request-impact';
import { runImpact } from '@/server/enforcement/impact/run-impact';
import { evaluatePolicyTests } from '@/server/enforcement/policy-tests/evaluate-tests';
import { sweepSuggestions } from '@/server/enforcement/suggestions/request-suggestion';
import { runSuggestion } from '@/server/enforcement/suggestions/run-suggestion';
import { forwardRecords, scheduleForwarding } from '@/server/forwarding/run-forwarding';
import { settleClusterFindings, settleFindings } from '@/server/insight/addresses/settle-findings';
import type { JobName, JobPayload } from '@/server/jobs/definitions';
import { deliverNotification } from '@/server/notifications/deliver-notification';
import { scheduleDeliveries } from '@/server/notifications/deliveries';
import { evaluateRules } from '@/server/notifications/evaluate-rules';
import { remindOwners } from '@/server/notifications/remind-owners';
import { pruneExpired } from '@/server/operation/retention';
import { runAnyImport } from '@/server/sync/netbox/import-netbox';
import { scheduleSyncs } from '@/server/sync/request-sync';
import { runClusterSync } from '@/server/sync/run-sync';
import { watchAgents } from '@/server/traffic/agents/agents';
import { confirmReports } from '@/server/traffic/flows/confirm-reports';
import { resolveFlowEnds, retainTelemetry, sumTraffic } from '@/server/traffic/flows/upkeep';

/** What a processor gets besides its payload: `signal` aborts when the worker has to end or lost the job. */
export type JobContext = { signal: AbortSignal };

/** One processor per job. */
export type JobProcessors = { [N in JobName]: (payload: JobPayload<N>, context: JobContext) => Promise<unknown> };

/** Who does which job; complete by type. */
export const processors: JobProcessors = {
  'cluster.sync': ({ cluster_id }, { signal }) => runClusterSync(cluster_id, { signal }),
  'sync.schedule': () => scheduleSyncs(),
  'ipam.discover': async ({ cluster_id }, { signal }) => {
    await runDiscovery(cluster_id, { signal });
    await settleClusterFindings(cluster_id);
  },
  'ipam.schedule': async () => {
    await scheduleDiscovery();
    await sweepImports();
  },
  'ipam.findings': (_, { signal }) => settleFindings(signal),
  'ipam.import': ({ import_id }, { signal }) => runAnyImport(import_id, { signal }),
  'directory.check': (_, { signal }) => checkDirectoryAccounts(signal),
  'maintenance.prune': () => pruneExpired(),
  'telemetry.retain': (_, { signal }) => retainTelemetry(signal),
  'traffic.sum': (_, { signal }) => sumTraffic(signal),
  'flows.resolve': (_, { signal }) => resolveFlowEnds(signal),
  'flows.confirm': (_, { signal }) => confirmReports({ signal }),
  'agents.watch': () => watchAgents(),
  'coverage.count': (_, { signal }) => countCoverage(signal),
  'hygiene.check': (_, { signal }) => checkHygiene(signal),
  'policy_tests.evaluate': (_, { signal }) => evaluatePolicyTests(signal),
  'change.revalidate': () => revalidateAll(),
  'suggestion.compute': ({ suggestion_id }, { signal }) => runSuggestion(suggestion_id, { signal }),
  'impact.compute': ({ impact_id }, { signal }) => runImpact(impact_id, { signal }),
  'firewall.observe': ({ cluster_id }, { signal }) => observeCluster(cluster_id, signal),
  'firewall.schedule': () => scheduleObservations(),
  'policy.apply': ({ deployment_id }, { signal }) => deployAndObserve(deployment_id, signal),
  'policy.cleanup': ({ deployment_id }, { signal }) => deployAndObserve(deployment_id, signal),
  'deployment.schedule': async () => {
    await scheduleDeployments();
    await sweepImpacts();
    await sweepSuggestions();
  },
  'change.advance': ({ change_id }) => advanceChange(change_id),
  'change.schedule': (_, { signal }) => scheduleChanges(signal),
  'change.start': (_, { signal }) => startScheduledChanges(signal),
  'policies.expire': (_, { signal }) => removeExpired(signal),
  'notification.evaluate': async () => {
    await evaluateRules();
    await remindOwners();
  },
  'notification.schedule': () => scheduleDeliveries(),
  'notification.deliver': ({ delivery_id }, context) => deliverNotification(delivery_id, context),
  'forwarding.schedule': () => scheduleForwarding(),
  'forwarding.send': ({ destination_id }, { signal }) => forwardRecords(destination_id, { signal }),
};
