import type { Block, Side } from './blocks';
import { widthKey } from './blocks';
import { formatService, type Service } from './classify';
import { findInfrastructure, INFRASTRUCTURE_NAMES, type InfrastructureKind } from './infrastructure';

/** What a policy takes of each kind. */
const MAX_ENDPOINTS = 200;
const MAX_RULES = 200;
const MOST_NAMED = 3;

type Direction = 'in' | 'out' | 'both';

/** A policy before its sides are named: each source may use each of the rules at each target, and all of that was seen. */
export type Assembled = {
  readonly kind: 'traffic' | 'infrastructure' | 'outside';
  readonly label: string;
  readonly direction: Direction;
  readonly sources: readonly Side[];
  readonly targets: readonly Side[];
  readonly rules: readonly { readonly service: Service; readonly blocks: readonly Block[] }[];
  readonly width_keys: readonly string[];
};

const sideKey = (side: Side): string => {
  if (side.kind === 'group') return `group ${side.group}`;
  return side.kind === 'workloads' ? `ids ${side.ids.join(' ')}` : `networks ${side.networks.join(' ')}`;
};

/** One side, and for each other side the services between them: those with the same services are one policy. */
type Fan = {
  readonly shared: Side;
  readonly isTarget: boolean;
  readonly direction: Direction;
  readonly infrastructure: InfrastructureKind | null;
  readonly others: Map<string, { readonly side: Side; readonly blocks: Block[] }>;
};

/** Rules at the ends that are in the scope. A server outside of it gets none. */
const findDirection = ({ client, server }: Block, isInScope: (side: Side) => boolean): Direction => {
  if (!isInScope(server)) return 'out';
  return isInScope(client) ? 'both' : 'in';
};

function collectFans(blocks: readonly Block[], isInScope: (side: Side) => boolean): Fan[] {
  const fans = new Map<string, Fan>();
  for (const block of blocks) {
    const infrastructure = findInfrastructure(block.service);
    // One monitoring server reads all others; everything else has many clients.
    const isTarget = infrastructure !== 'monitoring';
    const [shared, other] = isTarget ? [block.server, block.client] : [block.client, block.server];
    const direction = findDirection(block, isInScope);
    const outside = block.client.kind === 'addresses' || block.server.kind === 'addresses';
    const key = [sideKey(shared), isTarget, direction, infrastructure, outside].join('|');
    const fan = fans.get(key) ?? { shared, isTarget, direction, infrastructure, others: new Map() };
    fans.set(key, fan);
    const found = fan.others.get(sideKey(other)) ?? { side: other, blocks: [] };
    fan.others.set(sideKey(other), found);
    found.blocks.push(block);
  }
  return [...fans.values()];
}

const isAddresses = (side: Side) => side.kind === 'addresses';

/** How many endpoints a side is written as. */
const countEndpoints = (side: Side) =>
  side.kind === 'group' ? 1 : side.kind === 'workloads' ? side.ids.length : side.networks.length;

/** A side in parts that a policy takes. */
function splitSide(side: Side): Side[] {
  if (countEndpoints(side) <= MAX_ENDPOINTS) return [side];
  const parts: Side[] = [];
  const list = side.kind === 'workloads' ? side.ids : side.kind === 'addresses' ? side.networks : [];
  for (let at = 0; at < list.length; at += MAX_ENDPOINTS) {
    const part = list.slice(at, at + MAX_ENDPOINTS);
    parts.push(side.kind === 'addresses' ? { ...side, networks: part } : { kind: 'workloads', ids: part });
  }
  return parts;
}

/** Sides in parts that a policy takes, as few as possible in this order. */
function pack(sides: readonly Side[]): Side[][] {
  const packed: Side[][] = [];
  let room = 0;
  for (const side of sides.flatMap(splitSide)) {
    const count = countEndpoints(side);
    if (count > room) {
      packed.push([]);
      room = MAX_ENDPOINTS;
    }
    packed.at(-1)?.push(side);
    room -= count;
  }
  return packed;
}

function chunk<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

function describeServices(services: readonly Service[], infrastructure: InfrastructureKind | null): string {
  if (infrastructure) return INFRASTRUCTURE_NAMES[infrastructure];
  const names = services.map(formatService);
  return names.length > MOST_NAMED ? `${names.length} services` : names.join(', ');
}

function assembleFan({ shared, isTarget, direction, infrastructure, others }: Fan): Assembled[] {
  const alike = new Map<string, { readonly sides: Side[]; readonly blocks: Block[] }>();
  for (const { side, blocks } of others.values()) {
    const key = blocks
      .map(({ service }) => formatService(service))
      .sort()
      .join(' ');
    const known = alike.get(key) ?? { sides: [], blocks: [] };
    alike.set(key, known);
    known.sides.push(side);
    known.blocks.push(...blocks);
  }
  return [...alike.values()].flatMap(({ sides, blocks }) => {
    const byService = new Map<string, { service: Service; blocks: Block[] }>();
    for (const block of blocks) {
      const key = formatService(block.service);
      const known = byService.get(key) ?? { service: block.service, blocks: [] };
      byService.set(key, known);
      known.blocks.push(block);
    }
    const services = [...byService].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    const hasAddresses = isAddresses(shared) || sides.some(isAddresses);
    const widths = hasAddresses
      ? services.map(({ service }) => widthKey(isAddresses(blocks[0]?.client ?? shared) ? 'in' : 'out', service))
      : [];
    return pack([shared]).flatMap((one) =>
      pack(sides).flatMap((many) =>
        chunk(services, MAX_RULES).map((rules): Assembled => {
          const [sources, targets] = isTarget ? [many, one] : [one, many];
          return {
            kind: infrastructure ? 'infrastructure' : hasAddresses ? 'outside' : 'traffic',
            label: describeServices(
              rules.map(({ service }) => service),
              infrastructure,
            ),
            ...{ direction, sources, targets, rules },
            width_keys: [...new Set(widths)],
          };
        }),
      ),
    );
  });
}

/**
 * Policies for what was seen: for each server its clients that use the same services, for monitoring each client with its servers. A policy
 * allows exactly its blocks. Infrastructure comes last.
 * @param isInScope whether rules may be placed at a side
 */
export function assemblePolicies(blocks: readonly Block[], isInScope: (side: Side) => boolean): Assembled[] {
  const order = { traffic: 0, outside: 1, infrastructure: 2 } as const;
  const found = collectFans(blocks, isInScope).flatMap(assembleFan);
  return found.sort((a, b) => order[a.kind] - order[b.kind]);
}
