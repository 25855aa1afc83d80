import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import type { Fact } from '@/domain/notifications/condition';
import { systemScope } from '../../auth/scope';
import { readBoard } from '../../enforcement/policies/board/read-board';
import { readSuspicious } from '../../insight/dashboard/read-suspicious';
import { selectFlows } from '../../insight/flows/select-flows';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import type { Collector } from './collector';

/** Traffic of so long ago still counts as going on: agents report flows while they last and once when they end. */
const WINDOW_MS = 15 * 60_000;

/** One matter is all traffic to one port of one destination: a scan from a thousand addresses is not a thousand matters. */
const matterOf = (entry: SuspiciousTraffic): string =>
  [entry.cluster_id, entry.destination_workload_id ?? entry.destination_ip, entry.port, entry.protocol].join(' ');

function factOf(key: string, entries: readonly SuspiciousTraffic[]): Fact | null {
  const [first] = entries;
  if (!first) return null;
  const { destination_workload_id, destination_workload_name, destination_ip, service, port, protocol } = first;
  const sources = [...new Set(entries.map(({ source_ip }) => source_ip))].sort();
  const others = sources.length - 1;
  const from = `${sources[0]}${others > 0 ? ` and ${others === 1 ? 'one more' : `${others} more`}` : ''}`;
  return {
    condition: 'suspicious_traffic_critical',
    key,
    object_kind: destination_workload_id === null ? 'address' : 'workload',
    object_id: destination_workload_id,
    object_name: destination_workload_name ?? destination_ip,
    detail: `${service} (${protocol} ${port}) of ${destination_ip} is reached from outside, from ${from}.`,
  };
}

/** Destinations within reach that somebody outside all subnets reaches at a critical port, as the dashboard judges it. */
export const criticalTraffic: Collector = async (reach) => {
  const since = new Date(clock.now().getTime() - WINDOW_MS).toISOString();
  const [{ selection }, board] = await Promise.all([
    selectFlows(systemScope('flow:read', 'notifications', reach), { since }),
    readBoard(),
  ]);
  const { entries } = await readSuspicious(selection, board, { policies: reach, rules: null });
  const critical = entries.filter(({ severity }) => severity === 'critical');
  const matters = groupBy(critical, matterOf);
  return { facts: [...matters].map(([key, list]) => factOf(key, list)).filter((fact) => fact !== null) };
};
