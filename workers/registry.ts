import type { JobProcessors } from './job-processors';
import { applyPolicy } from './processors/apply-policy';
import { cleanUpPolicy } from './processors/clean-up-policy';
import { confirmFlows } from './processors/confirm-flows';
import { countCoverage } from './processors/count-coverage';
import { deliverNotification } from './processors/deliver-notification';
import { discoverAddresses } from './processors/discover-addresses';
import { evaluateNotifications } from './processors/evaluate-notifications';
import { importAddresses } from './processors/import-addresses';
import { observeCluster } from './processors/observe-cluster';
import { prune } from './processors/prune';
import { resolveFlows } from './processors/resolve-flows';
import { retainTelemetry } from './processors/retain-telemetry';
import { scheduleDeployments } from './processors/schedule-deployments';
import { scheduleDiscovery } from './processors/schedule-discovery';
import { scheduleNotifications } from './processors/schedule-notifications';
import { scheduleObservations } from './processors/schedule-observations';
import { scheduleSyncs } from './processors/schedule-syncs';
import { sumTraffic } from './processors/sum-traffic';
import { syncCluster } from './processors/sync-cluster';
import { watchAgents } from './processors/watch-agents';

/** Who does which job; complete by type. */
export const registry = {
  'cluster.sync': syncCluster,
  'sync.schedule': scheduleSyncs,
  'ipam.discover': discoverAddresses,
  'ipam.schedule': scheduleDiscovery,
  'ipam.import': importAddresses,
  'maintenance.prune': prune,
  'telemetry.retain': retainTelemetry,
  'traffic.sum': sumTraffic,
  'flows.resolve': resolveFlows,
  'flows.confirm': confirmFlows,
  'agents.watch': watchAgents,
  'coverage.count': countCoverage,
  'firewall.observe': observeCluster,
  'firewall.schedule': scheduleObservations,
  'policy.apply': applyPolicy,
  'policy.cleanup': cleanUpPolicy,
  'deployment.schedule': scheduleDeployments,
  'notification.evaluate': evaluateNotifications,
  'notification.schedule': scheduleNotifications,
  'notification.deliver': deliverNotification,
} satisfies JobProcessors;
