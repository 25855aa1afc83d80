import type { MapCluster } from './map-model';

export type Box = { x: number; y: number; width: number; height: number };

/** Where everything stands, in pixels at scale 1; the map begins at 0, 0. */
export type MapLayout = {
  width: number;
  height: number;
  clusters: ReadonlyMap<string, Box>;
  groups: ReadonlyMap<string, Box>;
  nodes: ReadonlyMap<string, Box>;
};

export const TILE = { width: 112, height: 20 } as const;
export const GROUP = { header: 20, padding: 8 } as const;
export const CLUSTER = { header: 24, padding: 10 } as const;

/** Room between tiles, groups and clusters: for lines when there are few tiles, for large names when there are many. */
type Spacing = { x: number; y: number; group: number; cluster: number };
const ROOMY: Spacing = { x: 22, y: 11, group: 28, cluster: 36 };
const DENSE: Spacing = { x: 8, y: 5, group: 14, cluster: 20 };
const MANY_NODES = 150;

type Size = { width: number; height: number };

/** Columns of a group so that it is about `aspect` times as wide as high. */
function columnsFor(count: number, aspect: number, { x, y }: Spacing): number {
  const wanted = Math.sqrt((count * aspect * (TILE.height + y)) / (TILE.width + x));
  return Math.max(1, Math.min(count, Math.round(wanted)));
}

function groupSize(count: number, spacing: Spacing): Size & { columns: number } {
  const columns = columnsFor(count, 1.6, spacing);
  const rows = Math.ceil(count / columns);
  return {
    columns,
    width: 2 * GROUP.padding + columns * (TILE.width + spacing.x) - spacing.x,
    height: GROUP.header + 2 * GROUP.padding + rows * (TILE.height + spacing.y) - spacing.y,
  };
}

type Shelves = { places: { x: number; y: number }[] } & Size;

/** Puts boxes side by side on shelves no longer than `limit`, the highest first; boxes of one height keep their order. */
function shelve(sizes: readonly Size[], gap: number, limit: number): Shelves {
  const places: { x: number; y: number }[] = sizes.map(() => ({ x: 0, y: 0 }));
  const order = sizes.map((_, i) => i).sort((a, b) => (sizes[b]?.height ?? 0) - (sizes[a]?.height ?? 0) || a - b);
  let [x, y, shelf, width] = [0, 0, 0, 0];
  for (const i of order) {
    const size = sizes[i];
    if (!size) continue;
    if (x > 0 && x + size.width > limit) {
      y += shelf + gap;
      [x, shelf] = [0, 0];
    }
    places[i] = { x, y };
    x += size.width + gap;
    shelf = Math.max(shelf, size.height);
    width = Math.max(width, x - gap);
  }
  return { places, width, height: y + shelf };
}

const TRIES = 24;

/** Height that a screen must have to show all of it, when it is `aspect` times as wide. */
const screenHeight = ({ width, height }: Size, aspect: number) => Math.max(height, width / aspect);

const least = <T>(items: readonly T[], cost: (item: T) => number): T | undefined =>
  items.reduce<T | undefined>(
    (best, item) => (best !== undefined && cost(best) <= cost(item) ? best : item),
    undefined,
  );

/** Shelves of that length with which most of the map can be shown at once. */
function pack(sizes: readonly Size[], gap: number, aspect: number): Shelves {
  const from = Math.max(0, ...sizes.map(({ width }) => width));
  const to = sizes.reduce((sum, { width }) => sum + width + gap, 0);
  const tried = Array.from({ length: TRIES }, (_, i) =>
    shelve(sizes, gap, from * (to / Math.max(from, 1)) ** (i / (TRIES - 1))),
  );
  return least(tried, (shelves) => screenHeight(shelves, aspect)) ?? shelve(sizes, gap, to);
}

/** How much wider than high a screen mostly is. */
const ASPECT = 1.7;

/** Shapes that are tried for what a cluster holds. */
const INNER_ASPECTS = [0.7, 1, 1.4, 1.7, 2.2, 3, 4];

const clusterSize = ({ width, height }: Size): Size => ({
  width: width + 2 * CLUSTER.padding,
  height: height + 2 * CLUSTER.padding + CLUSTER.header,
});

function packClusters(clusters: readonly MapCluster[], spacing: Spacing, innerAspect: number, aspect: number) {
  const inner = clusters.map(({ groups }) => {
    const sizes = groups.map(({ nodes }) => groupSize(nodes.length, spacing));
    return { sizes, shelves: pack(sizes, spacing.group, innerAspect) };
  });
  const outer = pack(
    inner.map(({ shelves }) => clusterSize(shelves)),
    spacing.cluster,
    aspect,
  );
  return [inner, outer] as const;
}

/**
 * Lays clusters, groups and nodes out as boxes within boxes. The same clusters always give the same places, so that a map that
 * is refreshed stands still; nothing overlaps. In time proportional to the number of nodes.
 * @param aspect how many times wider than high the map should be
 */
export function layOut(clusters: readonly MapCluster[], aspect = ASPECT): MapLayout {
  const layout = {
    clusters: new Map<string, Box>(),
    groups: new Map<string, Box>(),
    nodes: new Map<string, Box>(),
  };
  const count = clusters.reduce((sum, { groups }) => groups.reduce((all, { nodes }) => all + nodes.length, sum), 0);
  const spacing = count > MANY_NODES ? DENSE : ROOMY;
  // How wide clusters should be depends on how many stand side by side.
  const [inner, outer] =
    least(
      INNER_ASPECTS.map((innerAspect) => packClusters(clusters, spacing, innerAspect, aspect)),
      ([, shelves]) => screenHeight(shelves, aspect),
    ) ?? packClusters(clusters, spacing, aspect, aspect);
  for (const [c, cluster] of clusters.entries()) {
    const at = outer.places[c];
    const content = inner[c];
    if (!at || !content) continue;
    const { sizes, shelves } = content;
    layout.clusters.set(cluster.id, { ...at, ...clusterSize(shelves) });
    for (const [g, group] of cluster.groups.entries()) {
      const size = sizes[g];
      const place = shelves.places[g];
      if (!size || !place) continue;
      const x = at.x + CLUSTER.padding + place.x;
      const y = at.y + CLUSTER.padding + CLUSTER.header + place.y;
      layout.groups.set(group.id, { x, y, width: size.width, height: size.height });
      for (const [n, node] of group.nodes.entries()) {
        layout.nodes.set(node.id, {
          x: x + GROUP.padding + (n % size.columns) * (TILE.width + spacing.x),
          y: y + GROUP.header + GROUP.padding + Math.floor(n / size.columns) * (TILE.height + spacing.y),
          width: TILE.width,
          height: TILE.height,
        });
      }
    }
  }
  return { width: outer.width, height: outer.height, ...layout };
}
