import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import type { MapLink, MapModel, MapNode } from './map-model';

/** All traffic from one node to another. */
export type MatrixCell = {
  source: MapNode;
  destination: MapNode;
  /** The most severe. */
  verdict: EdgeVerdict;
  bytes: number;
  flows: number;
  /** New flows by verdict, the most severe first; those without a link are left out. */
  verdicts: readonly { verdict: EdgeVerdict; flows: number }[];
  link: MapLink;
};

export type Matrix = {
  /** Clients and servers: nodes that open or accept a connection, in the order of the map. */
  rows: readonly MapNode[];
  columns: readonly MapNode[];
  cellAt: (row: number, column: number) => MatrixCell | null;
  cells: number;
};

function buildCell(source: MapNode, destination: MapNode, links: readonly MapLink[]): MatrixCell | null {
  const verdicts = EDGE_VERDICTS.flatMap((verdict) => {
    const own = links.filter((link) => link.verdict === verdict);
    return own.length === 0 ? [] : [{ verdict, flows: own.reduce((sum, { flows }) => sum + flows, 0) }];
  });
  const [first] = verdicts;
  if (!first) return null;
  const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
  const flows = links.reduce((sum, link) => sum + link.flows, 0);
  const { verdict } = first;
  const edges = links.flatMap((link) => link.edges);
  const ends = { source: source.id, destination: destination.id };
  return {
    source,
    destination,
    verdict,
    bytes,
    flows,
    verdicts,
    link: { id: `${source.id} ${destination.id}`, ...ends, verdict, bytes, flows, edges },
  };
}

/** The map as a table of clients and servers. The totals of all cells equal those of all links. */
export function buildMatrix({ groups, nodes, links }: MapModel): Matrix {
  const byPair = new Map<string, MapLink[]>();
  const [callers, called] = [new Set<string>(), new Set<string>()];
  for (const link of links) {
    const key = `${link.source} ${link.destination}`;
    const list = byPair.get(key);
    if (list) list.push(link);
    else byPair.set(key, [link]);
    callers.add(link.source);
    called.add(link.destination);
  }
  const order = groups.flatMap((group) => group.nodes).filter(({ id }) => nodes.has(id));
  const rows = order.filter(({ id }) => callers.has(id));
  const columns = order.filter(({ id }) => called.has(id));
  return {
    rows,
    columns,
    cells: byPair.size,
    cellAt: (row, column) => {
      const [source, destination] = [rows[row], columns[column]];
      const found = source && destination && byPair.get(`${source.id} ${destination.id}`);
      return found ? buildCell(source, destination, found) : null;
    },
  };
}

export const CELL = { width: 40, height: 28 } as const;
/** Rows and columns outside the visible part that are there, so that scrolling shows no gaps. */
const OVERSCAN = 4;

/** The rows or columns, from a first up to an end, that a part of a scrolled list shows. */
export const computeVisibleRange = (
  scroll: number,
  room: number,
  size: number,
  count: number,
): [first: number, end: number] => [
  Math.max(0, Math.min(count, Math.floor(scroll / size) - OVERSCAN)),
  Math.max(0, Math.min(count, Math.ceil((scroll + room) / size) + OVERSCAN)),
];
