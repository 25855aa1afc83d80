import type { ClusterCounts } from '@/domain/cluster';
import { formatCount } from '@/lib/format';

const NOUNS: [keyof ClusterCounts, string, string][] = [
  ['nodes', 'node', 'nodes'],
  ['workloads', 'workload', 'workloads'],
  ['networks', 'network', 'networks'],
  ['subnets', 'subnet', 'subnets'],
  ['ip_addresses', 'IP address', 'IP addresses'],
];

/** `3 nodes, 1 workload and 12 IP addresses`: what there is of each kind; null when there is nothing. */
export function countsText(counts: ClusterCounts): string | null {
  const parts = NOUNS.filter(([key]) => counts[key] > 0).map(
    ([key, one, many]) => `${formatCount(counts[key])} ${counts[key] === 1 ? one : many}`,
  );
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}
