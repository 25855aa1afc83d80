import type { LiveCluster, LiveNic, LiveNode, LiveRule, LiveVnet } from './live-state';
import { and, bits, formatCachedIp, inBlock, type Sight, type Tri, tri } from './oracle-addresses.fixture';
import { matchNftables, type Outcome } from './oracle-rules.fixture';
import type { Packet } from './packet';

// The oracle's literal reading of what the nftables implementation does with forwarded traffic.

/** What two filters one after the other can end with. */
export function combineInSeries(first: ReadonlySet<Outcome>, second: ReadonlySet<Outcome>): Set<Outcome> {
  const ends = new Set<Outcome>();
  for (const end of first) {
    if (end !== 'accept' && end !== 'unknown') ends.add(end);
    else for (const next of end === 'unknown' ? ([...second, 'drop', 'reject'] as const) : second) ends.add(next);
  }
  return ends;
}

/** Whether connection tracking finds a packet invalid that belongs to no connection. */
export function isInvalid(packet: Packet): Tri {
  const { protocol, icmp_type: type, state, source } = packet;
  if (state === 'invalid') return 'y';
  if (protocol !== 1 && protocol !== 58) return 'n';
  if (protocol !== (source.family === 6 ? 58 : 1)) return 'y';
  if (type === undefined) return '?';
  const fine = protocol === 1 ? [8, 13, 15, 17] : [128, 139, 130, 131, 132, 133, 134, 135, 136, 143];
  return tri(!fine.includes(type));
}

type Chain = {
  cluster: LiveCluster;
  node: LiveNode | null;
  lists: readonly (readonly LiveRule[] | null)[];
  /** Stored; null: not read. */
  policy: string | number | null;
};

function walk({ cluster, node, lists, policy }: Chain, packet: Packet): Set<Outcome> {
  const result = new Set<Outcome>();
  let over = false;
  const step = (answer: Tri, ...outcomes: Outcome[]) => {
    if (over || answer === 'n') return;
    for (const outcome of outcomes) result.add(outcome);
    over = answer === 'y';
  };
  const stored = node?.options ?? null;
  const drops: Tri = stored
    ? tri(Number(stored.enable ?? 1) === 1 && Number(stored.nf_conntrack_allow_invalid ?? 0) === 0)
    : '?';
  step(and(isInvalid(packet), drops), 'drop');
  const sight: Sight = { cluster, guest: null, nft: true };
  const walkRules = (rules: readonly LiveRule[] | null, named: Tri) => {
    if (!rules) step('?', 'accept', 'drop');
    for (const rule of rules ?? []) {
      if (rule.enable !== 1 || rule.iface) continue;
      const errors = Object.values(rule.errors ?? {});
      if (rule.errors && errors.every((text) => text.startsWith('no such'))) continue;
      const there = and(named, rule.errors ? '?' : 'y');
      if (rule.type === 'group') {
        walkRules(cluster.groups ? (cluster.groups[rule.action] ?? []) : null, there);
      } else if (rule.type === 'forward') {
        const ends: Outcome[] =
          rule.action === 'ACCEPT' ? ['accept'] : rule.action === 'DROP' ? ['drop'] : ['accept', 'drop'];
        for (const answer of matchNftables(rule, packet, sight)) step(and(there, answer), ...ends);
      }
    }
  };
  for (const rules of lists) walkRules(rules, 'y');
  step('y', ...(policy === null ? (['accept', 'drop'] as const) : ([policy === 'DROP' ? 'drop' : 'accept'] as const)));
  return result;
}

const isKnown = ({ state }: Packet) => state === 'established' || state === 'related';

/** What the chain of a VNet can end with. */
export function possibleVnetOutcomes(
  cluster: LiveCluster,
  node: LiveNode | null,
  vnet: LiveVnet,
  packet: Packet,
): Set<Outcome> {
  const { options, rules } = vnet;
  if (isKnown(packet) || (options && Number(options.enable ?? 0) === 0)) return new Set(['accept']);
  const policy = options ? (options.policy_forward ?? 'ACCEPT') : null;
  const ends = walk({ cluster, node, lists: [rules], policy }, packet);
  return options ? ends : ends.add('accept');
}

/** What rules for routed packets can end with. */
export function possibleRouterOutcomes(cluster: LiveCluster, node: LiveNode | null, packet: Packet): Set<Outcome> {
  const options = node?.options ?? null;
  if (isKnown(packet) || (options && Number(options.enable ?? 1) === 0)) return new Set(['accept']);
  const policy = cluster.options ? (cluster.options.policy_forward ?? 'ACCEPT') : null;
  const lists = [node?.rules ?? null, cluster.rules ?? null];
  const ends = walk({ cluster, node, lists, policy }, packet);
  return options ? ends : ends.add('accept');
}

/** What a forwarded packet can end with, on a node with either implementation. */
export function possibleForwardVerdicts(
  cluster: LiveCluster,
  { node: name, vnet }: { node: string; vnet: string | null },
  packet: Packet,
): Set<Outcome> {
  const node = cluster.nodes?.[name] ?? null;
  if (cluster.firewall_enabled === false || isKnown(packet)) return new Set(['accept']);
  const nft = node?.options ? Number(node.options.nftables ?? 0) === 1 : node?.implementation === 'nftables';
  const sure = node?.options || node?.implementation;
  const ends = new Set<Outcome>();
  if (nft || !sure) {
    const stored =
      vnet === null
        ? null
        : cluster.vnets
          ? (cluster.vnets[vnet] ?? { options: {}, rules: [] })
          : { options: null, rules: null };
    for (const end of stored
      ? possibleVnetOutcomes(cluster, node, stored, packet)
      : possibleRouterOutcomes(cluster, node, packet))
      ends.add(end);
  }
  if (!nft || !sure) {
    const drops: Tri = node?.options ? tri(Number(node.options.nf_conntrack_allow_invalid ?? 0) === 0) : '?';
    const invalid = and(isInvalid(packet), drops);
    if (invalid !== 'n') ends.add('drop');
    if (invalid !== 'y') ends.add('accept');
  }
  return cluster.firewall_enabled ? ends : ends.add('accept');
}

const farEnd = (packet: Packet) => formatCachedIp(packet.direction === 'in' ? packet.source : packet.destination);
const host = (text: string) => bits(text.split('/')[0] ?? '');
const isHere = (texts: readonly string[], ip: string) => texts.some((text) => host(text) === bits(ip));
const isInside = (gateways: readonly string[], ip: string) => gateways.some((text) => inBlock(text, ip) === 'y');

/** What VNets between a node and the other end can do. */
export function possibleNodeCrossings(cluster: LiveCluster, node: LiveNode | null, packet: Packet): Set<Outcome> {
  if (isKnown(packet)) return new Set(['accept']);
  if (!cluster.vnets) return new Set(['accept', 'drop']);
  const far = farEnd(packet);
  const all = Object.values(cluster.vnets).filter(({ options }) => !options || Number(options.enable ?? 0) !== 0);
  const inside = all.filter(({ gateways }) => gateways && isInside(gateways, far));
  const [only] = inside;
  if (only && inside.length === 1) return possibleVnetOutcomes(cluster, node, only, packet);
  const ends = new Set<Outcome>(['accept']);
  for (const vnet of all) {
    if (vnet.gateways && !inside.includes(vnet)) continue;
    for (const end of possibleVnetOutcomes(cluster, node, vnet, packet)) ends.add(end);
  }
  return ends;
}

/** What can happen between an interface of a guest and the other end, while the firewall of the cluster is on. */
export function possibleGuestCrossings(
  cluster: LiveCluster,
  node: LiveNode | null,
  { bridge }: LiveNic,
  packet: Packet,
): Set<Outcome> {
  const { vnets } = cluster;
  const open = new Set<Outcome>(['accept']);
  const unread = new Set<Outcome>(['accept', 'drop']);
  if (isKnown(packet) || bridge?.startsWith('vmbr') || (bridge === undefined && vnets === undefined)) return open;
  if (bridge === undefined) {
    const off = vnets && Object.values(vnets).every(({ options }) => options && Number(options.enable ?? 0) === 0);
    return off ? open : unread;
  }
  if (!vnets) return unread;
  const vnet = vnets[bridge];
  if (!vnet) return open;
  const far = farEnd(packet);
  const bridged = possibleVnetOutcomes(cluster, node, vnet, packet);
  const { gateways } = vnet;
  const local = /^(ff|fe[89ab])/.test(far) || /^2(2[4-9]|3\d)\./.test(far) || far === '255.255.255.255';
  if (local || gateways?.length === 0) return bridged;
  const filters = node?.options ? Number(node.options.enable ?? 1) === 1 : null;
  const toNode = filters === false ? open : filters ? bridged : new Set<Outcome>([...bridged, 'accept']);
  const own = isHere([...(gateways ?? []), ...(node?.networks ?? [])], far);
  if (gateways && own) return toNode;
  if (gateways && isInside(gateways, far)) return bridged;
  const ends = new Set([...bridged, ...possibleRouterOutcomes(cluster, node, packet)]);
  if (own || !node?.networks) for (const end of toNode) ends.add(end);
  return ends;
}
