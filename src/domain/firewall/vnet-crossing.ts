import type { IpAddress } from '../net/ip-address';
import { type AddressSet, addressSet, addressSetHas, parseSpan } from './address-set';
import { compileDoubt } from './enforcement';
import { evaluateForwardChain, type ForwardChain, routedChain, vnetChain, vnetEnabled } from './forward-chain';
import type { LiveCluster, LiveNic, LiveNode, LiveState } from './live-state';
import { mergeAlternatives, type Outcome, toAcceptVerdict, toCertainOutcome, unknown } from './node-steps';
import type { Packet } from './packet';

/** What a crossing treats differently: sets of addresses of the other end, and chains that a packet may pass. */
export type Distinctions = { readonly far_ends: readonly AddressSet[]; readonly chains: readonly ForwardChain[] };

/** What a packet meets on its way in addition to the filter at its end; null: nothing. */
export type NodeCrossings = Distinctions & { readonly through: (packet: Packet) => Outcome | null };
export type GuestCrossing = Distinctions & {
  readonly through: (packet: Packet) => Outcome;
  /** What it was made of: two of the same parts treat every packet alike. */
  readonly basis: readonly unknown[];
};
type Pass = GuestCrossing['through'];

const ALIKE: Distinctions = { far_ends: [], chains: [] };
const NOTHING = toCertainOutcome(toAcceptVerdict({ kind: 'not_enforced', reason: 'vnet_firewall_off' }));
const ESTABLISHED = toCertainOutcome(toAcceptVerdict({ kind: 'builtin', name: 'established' }));
const notRead = (reason: 'unknown_forward_rules' | 'unknown_implementation' | 'node_cannot_compile'): Outcome => ({
  verdict: unknown(reason),
  possible: new Set(['accept', 'drop']),
});

const isEstablished = ({ state }: Packet) => state === 'established' || state === 'related';
const farEnd = ({ direction, source, destination }: Packet) => (direction === 'in' ? source : destination);
const parseAddressSet = (texts: readonly string[]): AddressSet =>
  addressSet(
    texts.flatMap((text) => parseSpan(text) ?? []),
    'no',
  );
const parseHostSet = (texts: readonly string[]) => parseAddressSet(texts.map((text) => text.split('/')[0] ?? text));
const has = (set: AddressSet, ip: IpAddress) => addressSetHas(set, ip) === 'yes';

/**
 * VNets that a packet passes between a node and the other end. One whose subnets hold the other end is passed. Others are
 * taken not to be: without that, no verdict about a node would be left where a single VNet filters.
 */
export function nodeCrossings(cluster: LiveCluster, node: LiveNode | null): NodeCrossings | null {
  if (!cluster.vnets) {
    return { ...ALIKE, through: (packet) => (isEstablished(packet) ? null : notRead('unknown_forward_rules')) };
  }
  const filtering = Object.entries(cluster.vnets)
    .filter(([, vnet]) => vnetEnabled(vnet) !== false && vnet.gateways?.length !== 0)
    .map(([name, vnet]) => ({
      chain: vnetChain(cluster, name, vnet, node),
      subnets: vnet.gateways ? parseAddressSet(vnet.gateways) : null,
    }));
  if (filtering.length === 0) return null;
  const through: NodeCrossings['through'] = (packet) => {
    const far = farEnd(packet);
    const inside = filtering.filter(({ subnets }) => subnets && has(subnets, far));
    const maybe = inside.length === 1 ? inside : filtering.filter(({ subnets }) => !subnets || has(subnets, far));
    const outcomes = maybe.map(({ chain }) => evaluateForwardChain(chain, packet));
    const [first, ...others] = inside.length === 1 ? outcomes : [NOTHING, ...outcomes];
    return first ? mergeAlternatives([first, ...others], 'unknown_route') : null;
  };
  return {
    through,
    far_ends: filtering.flatMap(({ subnets }) => subnets ?? []),
    chains: filtering.map(({ chain }) => chain),
  };
}

/** Addresses that stay within a network: of groups, link-local, or of all hosts. */
const LINK_SCOPED = parseAddressSet(['224.0.0.0/4', '255.255.255.255', 'fe80::/10', 'ff00::/8']);

type Way = 'bridged' | 'to_node' | 'routed';

/** How a packet of a guest gets to the other end, or from there, and sets of addresses that differ in it. */
function resolveRoutes(gateways: readonly string[] | undefined, node: LiveNode | null) {
  const subnets = parseAddressSet(gateways ?? []);
  const own = parseHostSet([...(gateways ?? []), ...(node?.networks ?? [])]);
  const listWays = (far: IpAddress): readonly Way[] => {
    if (gateways?.length === 0 || has(LINK_SCOPED, far)) return ['bridged'];
    if (gateways && has(own, far)) return ['to_node'];
    if (gateways && has(subnets, far)) return ['bridged'];
    return node?.networks && !has(own, far) ? ['bridged', 'routed'] : ['bridged', 'routed', 'to_node'];
  };
  return { wayOf: listWays, far_ends: [LINK_SCOPED, subnets, own] };
}

/** The VNet that an interface is on: its name, none, or not known. */
function findVnetName({ vnets }: LiveCluster, { bridge }: LiveNic): string | null | undefined {
  if (bridge === undefined) {
    // Readings of versions that knew neither.
    if (vnets === undefined) return null;
    return vnets && Object.values(vnets).every((vnet) => vnetEnabled(vnet) === false) ? null : undefined;
  }
  if (/^vmbr\d+$/.test(bridge)) return null;
  if (!vnets) return undefined;
  return Object.hasOwn(vnets, bridge) ? bridge : null;
}

function buildPasses(chain: ForwardChain, node_enabled: boolean | null): Record<Exclude<Way, 'routed'>, Pass> {
  const bridged: Pass = (packet) => evaluateForwardChain(chain, packet);
  // What the node itself receives or sends is filtered in the same way, while the node's own firewall is on.
  const to_node: Pass = (packet) => {
    if (node_enabled === false) return NOTHING;
    return node_enabled ? bridged(packet) : mergeAlternatives([bridged(packet), NOTHING], 'unknown_node_options');
  };
  return { bridged, to_node };
}

/**
 * What filters between an interface of a guest and the other end on a node with the nftables implementation: the
 * firewall of the interface's VNet where the packet is bridged, rules for forwarded traffic where the node routes it.
 * Null: nothing.
 */
export function guestCrossing({ cluster, node }: LiveState, nic: LiveNic): GuestCrossing | null {
  if (cluster.firewall_enabled === false) return null;
  const name = findVnetName(cluster, nic);
  if (name === null) return null;
  const vnet = name === undefined ? undefined : cluster.vnets?.[name];
  const { firewall_enabled, vnets, groups, ipsets, aliases, options, rules } = cluster;
  const basis = [node, name, firewall_enabled, vnets, groups, ipsets, aliases, options, rules];
  if (name === undefined || !vnet || compileDoubt(node)) {
    const outcome = notRead(compileDoubt(node) ?? 'unknown_forward_rules');
    return { ...ALIKE, basis, through: (packet) => (isEstablished(packet) ? ESTABLISHED : outcome) };
  }
  const { gateways } = vnet;
  if (gateways?.length === 0 && vnetEnabled(vnet) === false) return null;
  const routed = routedChain(cluster, node);
  const own = vnetChain(cluster, name, vnet, node);
  const ways: Record<Way, Pass> = {
    ...buildPasses(own, routed.enabled),
    routed: (packet) => evaluateForwardChain(routed, packet),
  };
  const { wayOf, far_ends } = resolveRoutes(gateways, node);
  const through: Pass = (packet) => {
    const [first, ...others] = wayOf(farEnd(packet)).map((way) => ways[way](packet));
    const found = first ? mergeAlternatives([first, ...others], 'unknown_route') : NOTHING;
    const passing = found.possible.size === 1 && found.possible.has('accept');
    if (cluster.firewall_enabled !== null || passing) return found;
    return { verdict: unknown('unknown_cluster_firewall'), possible: new Set([...found.possible, 'accept']) };
  };
  return { through, basis, far_ends, chains: [own, routed] };
}
