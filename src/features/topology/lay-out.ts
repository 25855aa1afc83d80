import type { MapGroup } from './map-model';

export type Box = { x: number; y: number; width: number; height: number };

/** Where everything stands, in pixels at scale 1; the map begins at 0, 0. */
export type MapLayout = {
  width: number;
  height: number;
  /** The middle of the ring that tiles are on; null: they are on shelves. */
  center: { x: number; y: number } | null;
  /** Tiles and boxes. */
  groups: ReadonlyMap<string, Box>;
  nodes: ReadonlyMap<string, Box>;
};

/** A workload in the box of its group. */
export const TILE = { width: 112, height: 20 } as const;
/** A group that is not expanded, or what is outside. */
export const GROUP_TILE = { width: 168, height: 48 } as const;
export const GROUP = { header: 24, padding: 8 } as const;

/** Room between tiles and groups: for lines when there are few tiles, for large names when there are many. */
type Spacing = { x: number; y: number; group: number };
const ROOMY: Spacing = { x: 22, y: 11, group: 44 };
const DENSE: Spacing = { x: 8, y: 5, group: 24 };
const MANY_NODES = 60;

type Size = { width: number; height: number };

/** Columns of a group so that it is about `aspect` times as wide as high. */
function computeColumns(count: number, aspect: number, { x, y }: Spacing): number {
  const requested = Math.sqrt((count * aspect * (TILE.height + y)) / (TILE.width + x));
  return Math.max(1, Math.min(count, Math.round(requested)));
}

function boxSize(count: number, spacing: Spacing, aspect: number): Size & { columns: number } {
  const columns = computeColumns(count, aspect, spacing);
  const rows = Math.ceil(count / columns);
  return {
    columns,
    width: Math.max(2 * GROUP.padding + columns * (TILE.width + spacing.x) - spacing.x, GROUP_TILE.width),
    height: GROUP.header + 2 * GROUP.padding + rows * (TILE.height + spacing.y) - spacing.y,
  };
}

type Places = { places: { x: number; y: number }[] } & Size;

/** Puts boxes side by side on shelves no longer than `limit`, the highest first; boxes of one height keep their order. */
function packShelves(sizes: readonly Size[], gap: number, limit: number): Places {
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

const findLeast = <T>(items: readonly T[], cost: (item: T) => number): T | undefined =>
  items.reduce<T | undefined>(
    (best, item) => (best !== undefined && cost(best) <= cost(item) ? best : item),
    undefined,
  );

/** Shelves of the length at which the map is shown largest on one screen. */
function pack(sizes: readonly Size[], gap: number, aspect: number): Places {
  const from = Math.max(0, ...sizes.map(({ width }) => width));
  const to = sizes.reduce((sum, { width }) => sum + width + gap, 0);
  const tried = Array.from({ length: TRIES }, (_, i) =>
    packShelves(sizes, gap, from * (to / Math.max(from, 1)) ** (i / (TRIES - 1))),
  );
  return findLeast(tried, (shelves) => screenHeight(shelves, aspect)) ?? packShelves(sizes, gap, to);
}

/** As many tiles fit around what is expanded: then lines that bend inwards meet few other tiles. */
const RING = { least: 3, most: 20, gap: 20 } as const;
const GROWTH = 1.05;

const isNear = (a: Box, b: Box, gap: number) =>
  a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap && b.y < a.y + a.height + gap;

/** Tiles on an ellipse around a box in the middle, as close as they can be; the first is at the left, the others follow clockwise. */
function layOutRing(count: number, inner: Size, aspect: number): { tiles: Box[]; middle: Box } {
  const middle = { x: -inner.width / 2, y: -inner.height / 2, ...inner };
  const at = (radius: number): Box[] =>
    Array.from({ length: count }, (_, i) => {
      const angle = Math.PI + (2 * Math.PI * i) / count;
      const { width, height } = GROUP_TILE;
      return {
        x: radius * aspect * Math.cos(angle) - width / 2,
        y: radius * Math.sin(angle) - height / 2,
        width,
        height,
      };
    });
  let radius = 120;
  for (;;) {
    const tiles = at(radius);
    const free = tiles.every(
      (tile, i) =>
        (inner.width === 0 || !isNear(tile, middle, 2 * RING.gap)) &&
        tiles.slice(i + 1).every((other) => !isNear(tile, other, RING.gap)),
    );
    if (free) return { tiles, middle };
    radius *= GROWTH;
  }
}

/** How much wider than high a screen mostly is. */
const ASPECT = 1.7;

/** Where the groups stand: on a ring around expanded ones, or on shelves when there are many or the screen is narrow. */
function placeGroups(
  groups: readonly MapGroup[],
  sizes: readonly Size[],
  gap: number,
  aspect: number,
): { boxes: Box[]; center: MapLayout['center'] } {
  const indexes = groups.map((_, i) => i);
  const tiles = indexes.filter((i) => !groups[i]?.expanded);
  const box = (i: number, { x, y }: { x: number; y: number }): Box => ({ x, y, ...(sizes[i] ?? GROUP_TILE) });
  if (aspect < 1 || tiles.length < RING.least || tiles.length > RING.most) {
    const { places } = pack(sizes, gap, aspect);
    return { boxes: indexes.map((i) => box(i, places[i] ?? { x: 0, y: 0 })), center: null };
  }
  const expanded = indexes.filter((i) => groups[i]?.expanded);
  const inner = pack(
    expanded.map((i) => sizes[i] ?? GROUP_TILE),
    gap,
    aspect,
  );
  const around = layOutRing(tiles.length, inner, aspect);
  const placed = indexes.map((i) => {
    const tile = around.tiles[tiles.indexOf(i)];
    if (tile) return tile;
    const { x, y } = inner.places[expanded.indexOf(i)] ?? { x: 0, y: 0 };
    return box(i, { x: around.middle.x + x, y: around.middle.y + y });
  });
  const [left, top] = [Math.min(...placed.map(({ x }) => x)), Math.min(...placed.map(({ y }) => y))];
  return {
    boxes: placed.map((one) => ({ ...one, x: one.x - left, y: one.y - top })),
    center: { x: -left, y: -top },
  };
}

/**
 * Lays groups and their workloads out. The same groups always get the same places, so that a refresh does not move the
 * map; nothing overlaps.
 * @param aspect how many times wider than high the map should be
 */
export function layOut(groups: readonly MapGroup[], aspect = ASPECT): MapLayout {
  const count = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const spacing = count > MANY_NODES ? DENSE : ROOMY;
  const sizes = groups.map(({ expanded, nodes }) =>
    expanded ? boxSize(nodes.length, spacing, aspect) : { ...GROUP_TILE, columns: 1 },
  );
  const { boxes, center } = placeGroups(
    groups,
    sizes.map(({ width, height }) => ({ width, height })),
    spacing.group,
    aspect,
  );
  const layout = { groups: new Map<string, Box>(), nodes: new Map<string, Box>() };
  for (const [g, { id, expanded, nodes }] of groups.entries()) {
    const [at, size] = [boxes[g], sizes[g]];
    if (!at || !size) continue;
    layout.groups.set(id, at);
    for (const [n, node] of nodes.entries()) {
      layout.nodes.set(
        node.id,
        expanded
          ? {
              x: at.x + GROUP.padding + (n % size.columns) * (TILE.width + spacing.x),
              y: at.y + GROUP.header + GROUP.padding + Math.floor(n / size.columns) * (TILE.height + spacing.y),
              ...TILE,
            }
          : at,
      );
    }
  }
  return {
    width: Math.max(0, ...boxes.map(({ x, width }) => x + width)),
    height: Math.max(0, ...boxes.map(({ y, height }) => y + height)),
    center,
    ...layout,
  };
}
