import { isWorkloadMatch } from '@/domain/topology/group-workloads';
import type { Topology, TopologyEdge, TopologyGrouping, TopologyService } from '@/domain/topology/topology';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { MapNode } from './map-model';

export const GROUPING_LABELS: Record<TopologyGrouping, string> = {
  project: msg('Project'),
  tag: msg('Tag'),
  network: msg('Network'),
};

/** `tcp/443`, `icmp`. */
export const serviceText = ({ protocol, port }: Pick<TopologyService, 'protocol' | 'port'>): string =>
  port === null ? protocol : `${protocol}/${port}`;

const MOST = 4;

/** The services of a connection in one line: `tcp/443, tcp/22 and 3 more`. */
export function servicesText(
  t: Translate,
  { services, services_total: total }: Pick<TopologyEdge, 'services' | 'services_total'>,
): string {
  const names = services.map(serviceText);
  const shown = names.slice(0, MOST);
  const more = total - shown.length;
  return more > 0 ? t('{names} and {n, number} more', { names: shown.join(', '), n: more }) : shown.join(', ');
}

/** Whether a node is what a search text means: a workload, a group with such workloads or that name, or a prefix outside. */
export function isMatch({ workload, group, label }: MapNode, text: string): boolean {
  if (workload) return isWorkloadMatch(workload, text);
  const word = text.trim().toLowerCase();
  return (
    word === '' ||
    label.toLowerCase().includes(word) ||
    (group !== null && (group.found > 0 || group.prefixes.some(({ prefix }) => prefix.startsWith(word))))
  );
}

/** What was left out of the answer, as text. */
export function omittedText(t: Translate, { workloads, groups, edges, edges_total }: Topology): string | null {
  const expanded = groups.filter((group) => group.expanded).reduce((sum, group) => sum + group.workloads, 0);
  const parts = [
    expanded > workloads.length &&
      t('{n, plural, one {# workload} other {# workloads}}', { n: expanded - workloads.length }),
    edges_total > edges.length &&
      t('{n, plural, one {# connection} other {# connections}}', { n: edges_total - edges.length }),
  ].filter((part) => part !== false);
  return parts.length > 0 ? new Intl.ListFormat(t.locale).format(parts) : null;
}
