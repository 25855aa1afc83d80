import type { Cluster, ClusterCounts } from '@/domain/cluster';
import { msg, type Translate } from '@/lib/i18n/translator';

const PARTS: readonly (readonly [keyof ClusterCounts, string])[] = [
  ['nodes', msg('{n, plural, one {# node} other {# nodes}}')],
  ['workloads', msg('{n, plural, one {# workload} other {# workloads}}')],
  ['networks', msg('{n, plural, one {# network} other {# networks}}')],
  ['subnets', msg('{n, plural, one {# prefix} other {# prefixes}}')],
  ['ip_addresses', msg('{n, plural, one {# IP address} other {# IP addresses}}')],
];

/** `3 nodes, 1 workload and 12 IP addresses`: what there is of each kind; null when there is nothing. */
export function countsText(t: Translate, counts: ClusterCounts): string | null {
  const parts = PARTS.filter(([key]) => counts[key] > 0).map(([key, text]) => t(text, { n: counts[key] }));
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length > 0 ? t('{list} and {last}', { list: parts.join(', '), last }) : last;
}

/** Where this service's rules stand among those that others made on a guest. */
export const PLACEMENT_LABELS: Record<Cluster['rule_placement'], { label: string; description: string }> = {
  above: {
    label: msg('Before unmanaged rules'),
    description: msg('Managed rules are evaluated first, unmanaged rules only for unmatched packets.'),
  },
  below: {
    label: msg('After unmanaged rules'),
    description: msg('Unmanaged rules are evaluated first, managed rules only for unmatched packets.'),
  },
};
