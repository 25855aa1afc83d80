import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { TopologyEdge } from '@/domain/topology/topology';
import { parseSort } from '@/ui/table/column';
import type { MapLink, MapModel, MapNode } from './map-model';

/** One connection with the nodes at its ends, as the table shows it. */
export type ConnectionRow = {
  id: string;
  link: MapLink;
  edge: TopologyEdge;
  source: MapNode;
  destination: MapNode;
  source_name: string;
  destination_name: string;
};

const collator = new Intl.Collator('en', { numeric: true });

type Compare<T> = (a: T, b: T) => number;

/** Sorted as asked, or by the last comparison, the largest first. Rows that are equal keep one order. */
function sortRows<T extends { id: string }>(
  rows: T[],
  sort: string,
  compares: Record<string, Compare<T>>,
  otherwise: Compare<T>,
): T[] {
  const { id, desc } = parseSort(sort);
  const compare = compares[id] ?? otherwise;
  const sign = desc || compares[id] === undefined ? -1 : 1;
  return rows.sort((a, b) => sign * compare(a, b) || (a.id < b.id ? -1 : 1));
}

/** Everything the lines of the map represent, one row for each pair of ends, direction and verdict. */
export function connectionRows(model: MapModel, matches: ReadonlySet<string> | null, sort: string): ConnectionRow[] {
  const rows = model.links.flatMap((link) => {
    const [source, destination] = [model.nodes.get(link.source), model.nodes.get(link.destination)];
    if (!source || !destination) return [];
    if (matches && !matches.has(source.id) && !matches.has(destination.id)) return [];
    const [source_name, destination_name] = [source.label, destination.label];
    return link.edges.map(
      (edge): ConnectionRow => ({
        id: `${edge.source} ${edge.destination} ${edge.verdict}`,
        link,
        edge,
        source,
        destination,
        source_name,
        destination_name,
      }),
    );
  });
  const weight = ({ edge }: ConnectionRow) => EDGE_VERDICTS.indexOf(edge.verdict);
  const bytes: Compare<ConnectionRow> = (a, b) => a.edge.bytes - b.edge.bytes;
  return sortRows(
    rows,
    sort,
    {
      source: (a, b) => collator.compare(a.source_name, b.source_name),
      destination: (a, b) => collator.compare(a.destination_name, b.destination_name),
      verdict: (a, b) => weight(a) - weight(b) || b.edge.bytes - a.edge.bytes,
      bytes,
      packets: (a, b) => a.edge.packets - b.edge.packets,
      flows: (a, b) => a.edge.flows - b.edge.flows,
      last_seen_at: (a, b) => collator.compare(a.edge.last_seen_at, b.edge.last_seen_at),
    },
    bytes,
  );
}

/** A node of the map as the table shows it. */
export type NodeRow = { id: string; node: MapNode; name: string; cluster: string; group: string };

/** The nodes of the map, with those that have no line. */
export function nodeRows(model: MapModel, matches: ReadonlySet<string> | null, sort: string): NodeRow[] {
  const groups = new Map(model.groups.map(({ id, label }) => [id, label]));
  const rows = [...model.nodes.values()]
    .filter(({ id }) => !matches || matches.has(id))
    .map((node): NodeRow => {
      const group = groups.get(node.group_id) ?? '';
      return { id: node.id, node, name: node.label, cluster: node.cluster, group };
    });
  const weight = ({ node }: NodeRow) =>
    node.verdict === null ? EDGE_VERDICTS.length : EDGE_VERDICTS.indexOf(node.verdict);
  const bytes: Compare<NodeRow> = (a, b) => a.node.bytes - b.node.bytes;
  return sortRows(
    rows,
    sort,
    {
      name: (a, b) => collator.compare(a.name, b.name),
      verdict: (a, b) => weight(a) - weight(b) || b.node.bytes - a.node.bytes,
      bytes,
      links: (a, b) => a.node.links - b.node.links,
    },
    bytes,
  );
}
