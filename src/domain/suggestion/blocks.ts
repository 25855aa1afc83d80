import { formatService, type Peer, type Service, type Talk } from './classify';
import { type AddressWidth, countUnits, createMatcher, joinAddresses, toUnit } from './prefixes';

/** One end of a rule: a group, some workloads of a group, or addresses. */
export type Side =
  | { readonly kind: 'group'; readonly group: number }
  | { readonly kind: 'workloads'; readonly ids: readonly string[] }
  | { readonly kind: 'addresses'; readonly networks: readonly string[]; readonly external: boolean };

/** Everything that one service between two sides allows, and what was seen of it. */
export type Block = {
  readonly client: Side;
  readonly server: Side;
  readonly service: Service;
  readonly talks: readonly Talk[];
  /** Connections, by workload or /24 at each end, that it allows; null: everywhere, which is not measured. */
  readonly allowed: number | null;
  /** Those that were ever used. */
  readonly used: number;
  readonly allows: (talk: Talk) => boolean;
};

/** How addresses are written: for each service and direction as it was chosen, else outside as networks and inside as they are. */
export type Widths = { readonly default: AddressWidth; readonly services: Readonly<Record<string, AddressWidth>> };

/** The text by which a width is chosen: `in tcp/443` for clients of a service in the scope, `out tcp/443` for servers outside of it. */
export const widthKey = (direction: 'in' | 'out', service: Service) => `${direction} ${formatService(service)}`;

/** A rule for a group would allow many times what was seen: only the workloads that were seen are named then. */
const NARROW_BELOW = 0.2;
const NARROW_FROM = 10;

export type Groups = {
  readonly members: readonly (readonly string[])[];
  readonly groupOf: ReadonlyMap<string, number>;
};

type Part = { readonly talks: Talk[]; readonly clients: Set<string>; readonly servers: Set<string> };

const getEnd = ({ workload_id, ip }: Peer) => workload_id ?? ip;
const isTrained = ({ conversations }: Talk) => conversations > 0;

function sideKey(peer: Peer, { groupOf }: Groups): string {
  if (peer.workload_id !== null) return `group ${groupOf.get(peer.workload_id)}`;
  return peer.external ? 'outside' : 'inside';
}

/** How many different connections are allowed between two lists of workloads; none leads to itself. */
function countPairs(clients: readonly string[], servers: readonly string[]): number {
  const both = new Set(clients);
  return clients.length * servers.length - servers.filter((id) => both.has(id)).length;
}

function listMembers(side: Side, groups: Groups): readonly string[] {
  if (side.kind === 'group') return groups.members[side.group] ?? [];
  return side.kind === 'workloads' ? side.ids : [];
}

function createTest(side: Side, groups: Groups): (peer: Peer) => boolean {
  if (side.kind === 'addresses') {
    const isIn = createMatcher(side.networks);
    return ({ workload_id, ip }) => workload_id === null && isIn(ip);
  }
  const ids = new Set(listMembers(side, groups));
  return ({ workload_id }) => workload_id !== null && ids.has(workload_id);
}

function countSeen(talks: readonly Talk[]): number {
  const end = (peer: Peer) => peer.workload_id ?? toUnit(peer.ip);
  return new Set(talks.map(({ client, server }) => `${end(client)} ${end(server)}`)).size;
}

/**
 * What each service between two groups allows, from the talks of the training part: every one of them is allowed.
 * @param narrow names only the workloads that were seen where a group would be far more
 */
export function buildBlocks(talks: readonly Talk[], groups: Groups, widths: Widths, narrow: boolean): Block[] {
  const parts = new Map<string, Part>();
  for (const talk of talks.filter(isTrained)) {
    const { client, server, service } = talk;
    const key = `${sideKey(client, groups)}|${sideKey(server, groups)}|${formatService(service)}`;
    const part = parts.get(key) ?? { talks: [], clients: new Set(), servers: new Set() };
    parts.set(key, part);
    part.talks.push(talk);
    part.clients.add(getEnd(client));
    part.servers.add(getEnd(server));
  }
  const rest = new Map<string, Talk[]>();
  for (const talk of talks) {
    if (isTrained(talk)) continue;
    const key = `${sideKey(talk.client, groups)}|${sideKey(talk.server, groups)}|${formatService(talk.service)}`;
    const held = rest.get(key) ?? [];
    rest.set(key, held);
    held.push(talk);
  }
  return [...parts].map(([key, part]) => buildBlock(part, rest.get(key) ?? [], groups, widths, narrow));
}

function buildBlock(part: Part, held: readonly Talk[], groups: Groups, widths: Widths, narrow: boolean): Block {
  const [first] = part.talks as [Talk, ...Talk[]];
  const { service } = first;
  const toSide = (end: 'client' | 'server'): Side => {
    const { workload_id, external } = first[end];
    if (workload_id !== null) return { kind: 'group', group: groups.groupOf.get(workload_id) ?? -1 };
    const chosen = widths.services[widthKey(end === 'client' ? 'in' : 'out', service)];
    // Around an address inside there may be those of others.
    const width = chosen ?? (external ? widths.default : 'addresses');
    const seen = end === 'client' ? part.clients : part.servers;
    return { kind: 'addresses', networks: joinAddresses([...seen], width), external };
  };
  let [client, server] = [toSide('client'), toSide('server')];
  if (narrow && client.kind === 'group' && server.kind === 'group') {
    const all = countPairs(listMembers(client, groups), listMembers(server, groups));
    if (all >= NARROW_FROM && part.talks.length < NARROW_BELOW * all) {
      client = { kind: 'workloads', ids: [...part.clients].sort() };
      server = { kind: 'workloads', ids: [...part.servers].sort() };
    }
  }
  const [isClient, isServer] = [createTest(client, groups), createTest(server, groups)];
  const allows = (talk: Talk) => isClient(talk.client) && isServer(talk.server);
  const covered = [...part.talks, ...held.filter(allows)];
  const allowed =
    client.kind === 'addresses' || server.kind === 'addresses'
      ? multiply(countSide(client, groups), countSide(server, groups))
      : countPairs(listMembers(client, groups), listMembers(server, groups));
  return { client, server, service, talks: covered, allowed, used: countSeen(covered), allows };
}

const countSide = (side: Side, groups: Groups): number | null =>
  side.kind === 'addresses' ? countUnits(side.networks) : listMembers(side, groups).length;
const multiply = (a: number | null, b: number | null) => (a === null || b === null ? null : a * b);

/** What a draft is worth, each from 0 to 1; null: nothing to measure it by. */
export type Scores = {
  /** Share of the conversations of the part that the draft is made from, and of the held-out part, that it allows. */
  readonly coverage: { readonly training: number | null; readonly held_out: number | null };
  /** Share of the connections that it allows that were ever used. */
  readonly tightness: number | null;
};

const share = (part: number, all: number) => (all === 0 ? null : part / all);

/** Scores of blocks that were built from these talks. */
export function scoreBlocks(blocks: readonly Block[], talks: readonly Talk[]): Scores {
  const sum = (list: readonly Talk[], what: 'conversations' | 'held_out') =>
    list.reduce((total, talk) => total + talk[what], 0);
  const covered = blocks.flatMap((block) => block.talks);
  const measured = blocks.filter(({ allowed }) => allowed !== null);
  return {
    coverage: {
      training: share(sum(covered, 'conversations'), sum(talks, 'conversations')),
      held_out: share(sum(covered, 'held_out'), sum(talks, 'held_out')),
    },
    tightness: share(
      measured.reduce((total, { used }) => total + used, 0),
      measured.reduce((total, { allowed }) => total + (allowed ?? 0), 0),
    ),
  };
}
