import type { TopologyEdge, TopologyService } from '@/domain/topology/topology';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { MapGrouping, MapModel, MapNode } from './map-model';

export const GROUPING_LABELS: Record<MapGrouping, string> = {
  network: msg('Network'),
  project: msg('Project'),
  tag: msg('Tag'),
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

/** A node's name, told apart from others of the same name: peers by where they are met. */
export function nodeName(model: MapModel, node: MapNode): string {
  if (node.kind === 'workload') return node.label;
  const group = model.groups.get(node.group_id)?.label;
  const cluster = model.clusters.find(({ id }) => id === node.cluster_id)?.label;
  const where = [model.clusters.length > 1 ? cluster : null, node.id.endsWith(node.cluster_id) ? null : group];
  const text = where.filter(Boolean).join(', ');
  return text ? `${node.label} (${text})` : node.label;
}

/** Whether a node is what a search text means: part of a name, a tag or project, the start of an address, a VMID, a prefix. */
export function isMatch(node: MapNode, text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word === '') return true;
  const { workload, peers, label } = node;
  if (label.toLowerCase().includes(word)) return true;
  if (peers.some((peer) => peer.prefixes.some(({ prefix }) => prefix.startsWith(word)))) return true;
  if (!workload) return false;
  return (
    String(workload.vmid) === word ||
    workload.addresses.some((address) => address.startsWith(word)) ||
    workload.tags.some((tag) => tag.toLowerCase().includes(word)) ||
    (workload.project_name?.toLowerCase().includes(word) ?? false)
  );
}
