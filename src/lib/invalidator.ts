import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '@/domain/live-event';
import { RESYNC_EVENT } from '@/domain/page-limits';
import type { ServerEvent } from './event-stream';

/** Procedures whose answers a kind of event makes old, by router. */
const TOUCHES = {
  'sync_run.changed': ['syncRuns', 'clusters'],
  'cluster.changed': ['clusters', 'dashboard'],
  'inventory.changed': ['nodes', 'workloads', 'networks', 'clusters', 'agents', 'dashboard', 'mappingRules'],
  'security_group.changed': ['securityGroups'],
  'policy.changed': ['policies', 'securityGroups', 'dashboard'],
  'policy_test.changed': ['policyTests'],
  'change.changed': ['changes', 'changeRollout'],
  'deployment.changed': ['deployments', 'policies', 'dashboard'],
  'firewall.changed': ['policies', 'workloads', 'dashboard', 'drift'],
  'ipam.changed': ['networks', 'subnets', 'ipAddresses', 'ipRanges', 'ipamConflicts', 'ipam', 'workloads', 'dashboard'],
  'ipam_import.changed': ['ipamImports'],
  'mapping_rule.changed': ['mappingRules'],
  'forwarding.changed': ['forwarding'],
  'flow_exporter.changed': ['flowExporters'],
  'notification.changed': ['notifications', 'notificationRules', 'notificationChannels'],
  'notification.read': ['notifications'],
} as const satisfies Record<LiveEvent['type'], readonly string[]>;

/** The routers to ask again after an event; `all` after a gap, none for what this version does not know. */
export function listAffectedRouters({ type, data }: Pick<ServerEvent, 'type' | 'data'>): readonly string[] | 'all' {
  if (type === RESYNC_EVENT) return 'all';
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return [];
  }
  const kind = (value as { type?: unknown } | null)?.type;
  return typeof kind === 'string' && Object.hasOwn(TOUCHES, kind) ? TOUCHES[kind as LiveEvent['type']] : [];
}

/** Asks again what was answered before: all procedures of these routers. */
export function refetchRouters(client: QueryClient, routers: ReadonlySet<string> | 'all'): void {
  for (const queryKey of routers === 'all' ? [[]] : [...routers].map((router) => [[router]])) {
    // A first answer that is on its way may be older than the event, and nothing would cancel it.
    const first = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
    for (const query of first.filter(({ state }) => state.data === undefined)) {
      const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      void query.fetch().then(again, () => undefined);
    }
    void client.invalidateQueries({ queryKey });
  }
}

/**
 * Collects what events touch and passes it on at most once per `intervalMs`, the first time immediately: a sync of
 * thousands of guests sends many events, and every repeated request costs both sides.
 */
export function makeInvalidator(invalidate: (routers: ReadonlySet<string> | 'all') => void, intervalMs = 1000) {
  let pending = new Set<string>();
  let all = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    timer = null;
    if (!all && pending.size === 0) return;
    const routers = all ? ('all' as const) : pending;
    all = false;
    pending = new Set();
    timer = setTimeout(flush, intervalMs);
    invalidate(routers);
  };
  return {
    push(routers: readonly string[] | 'all') {
      if (routers === 'all') all = true;
      else for (const router of routers) pending.add(router);
      if (timer === null) flush();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
