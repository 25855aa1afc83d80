import type { JobName, JobPayload } from '@/server/jobs/definitions';
import { watchAgents } from '@/server/services/agents/watch-agents';
import { runClusterSync } from '@/server/services/clusters/run-sync';
import { scheduleSyncs } from '@/server/services/clusters/schedule-syncs';
import { deployAndObserve } from '@/server/services/deployments/deploy-and-observe';
import { scheduleDeployments } from '@/server/services/deployments/schedule-deployments';
import { observeCluster } from '@/server/services/firewall/observe-cluster';
import { scheduleObservations } from '@/server/services/firewall/schedule-observations';
import { confirmReports } from '@/server/services/flows/confirm-reports';
import { resolveFlowEnds } from '@/server/services/flows/resolve-ends';
import { retainTelemetry } from '@/server/services/flows/retain-telemetry';
import { sumTraffic } from '@/server/services/flows/sum-traffic';
import { runDiscovery } from '@/server/services/ipam/discovery/run-discovery';
import { scheduleDiscovery } from '@/server/services/ipam/discovery/schedule-discovery';
import { runImport } from '@/server/services/ipam/imports/run-import';
import { sweepImports } from '@/server/services/ipam/imports/sweep-imports';
import { pruneExpired } from '@/server/services/maintenance/prune-expired';
import { deliverNotification } from '@/server/services/notifications/deliver-notification';
import { evaluateRules } from '@/server/services/notifications/evaluate-rules';
import { scheduleDeliveries } from '@/server/services/notifications/start-deliveries';
import { countCoverage } from '@/server/services/rule-coverage/count-coverage';

/** What a processor is told besides its payload: `signal` aborts when the worker has to end or lost the job. */
export type JobContext = { signal: AbortSignal };

/** One processor per job. */
export type JobProcessors = { [N in JobName]: (payload: JobPayload<N>, context: JobContext) => Promise<unknown> };

/** Who does which job; complete by type. */
export const processors: JobProcessors = {
  'cluster.sync': ({ cluster_id }, { signal }) => runClusterSync(cluster_id, { signal }),
  'sync.schedule': () => scheduleSyncs(),
  'ipam.discover': ({ cluster_id }, { signal }) => runDiscovery(cluster_id, { signal }),
  'ipam.schedule': async () => {
    await scheduleDiscovery();
    await sweepImports();
  },
  'ipam.import': ({ import_id }, { signal }) => runImport(import_id, { signal }),
  'maintenance.prune': () => pruneExpired(),
  'telemetry.retain': (_, { signal }) => retainTelemetry(signal),
  'traffic.sum': (_, { signal }) => sumTraffic(signal),
  'flows.resolve': (_, { signal }) => resolveFlowEnds(signal),
  'flows.confirm': (_, { signal }) => confirmReports({ signal }),
  'agents.watch': () => watchAgents(),
  'coverage.count': (_, { signal }) => countCoverage(signal),
  'firewall.observe': ({ cluster_id }, { signal }) => observeCluster(cluster_id, signal),
  'firewall.schedule': () => scheduleObservations(),
  'policy.apply': ({ deployment_id }, { signal }) => deployAndObserve(deployment_id, signal),
  'policy.cleanup': ({ deployment_id }, { signal }) => deployAndObserve(deployment_id, signal),
  'deployment.schedule': () => scheduleDeployments(),
  'notification.evaluate': () => evaluateRules(),
  'notification.schedule': () => scheduleDeliveries(),
  'notification.deliver': ({ delivery_id }, context) => deliverNotification(delivery_id, context),
};
