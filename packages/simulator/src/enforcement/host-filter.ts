import { FILE_SCOPES, type FirewallFile, parseFirewallFile } from '../firewall/firewall-file';
import type { ClusterState } from '../state/cluster-state';
import type { PveNode } from '../state/node';
import { addressRange } from './address-range';

/** What a node's own configuration means for packets that pass it. */
export type HostFilter = {
  readonly file: FirewallFile;
  /** The node filters its own traffic; part of the new implementation's chains for guests hangs on it. */
  readonly enabled: boolean;
  readonly nftables: boolean;
  readonly nosmurfs: boolean;
  readonly allowInvalid: boolean;
  readonly tcpflags: boolean;
  /** Broadcast addresses of the networks in which the node has an address. */
  readonly broadcasts: ReadonlySet<bigint>;
  readonly ndp: boolean;
  readonly synflood: boolean;
  readonly helpers: readonly string[];
  /** Own addresses with their prefix length; the first is that of the host name. */
  readonly networks: readonly string[];
  /** Addresses of the other nodes' host names, which are the links of the cluster communication. */
  readonly peers: readonly string[];
};

/** Zones in which every node carries the gateway addresses of the subnets. */
const ROUTED: readonly string[] = ['simple', 'evpn'];

function ownNetworks(cluster: ClusterState, node: PveNode): string[] {
  const texts = node.interfaces
    .filter(({ active }) => active === 1)
    .flatMap(({ cidr }) => (typeof cidr === 'string' ? [cidr] : []));
  return [...texts, ...[...cluster.sdn.running.vnets.keys()].flatMap((vnet) => listGateways(cluster, node, vnet))];
}

export const stripPrefixLength = (cidr: string): string => cidr.split('/')[0] ?? cidr;

/** Addresses with prefix length that a node has as the gateway of a VNet. */
export function listGateways(cluster: ClusterState, node: PveNode, vnet: string): string[] {
  const { zones, subnets } = cluster.sdn.running;
  return [...subnets.values()].flatMap(({ vnet: own, zone: name, gateway, mask }) => {
    const zone = zones.get(name);
    const here = zone?.nodes === undefined || String(zone.nodes).split(',').includes(node.name);
    const carried = own === vnet && zone && here && ROUTED.includes(zone.type) && gateway !== undefined;
    return carried ? [`${gateway}/${mask}`] : [];
  });
}

/** The last address of each network; networks of one or two addresses have none. */
function listBroadcasts(networks: readonly string[]): Set<bigint> {
  const ranges = networks.map((text) => addressRange(text)).filter((range) => range?.family === 4);
  return new Set(ranges.flatMap((range) => (range && range.last - range.first > 1n ? [range.last] : [])));
}

/** Reads a node's firewall file and its addresses, as its firewall service does at each compile. */
export function hostFilter(cluster: ClusterState, node: PveNode, datacenter: FirewallFile): HostFilter {
  const text = cluster.files.get(`nodes/${node.name}/host.fw`) ?? '';
  const file = parseFirewallFile(text, FILE_SCOPES.host, { datacenter, sdnSets: new Set() });
  const { options } = file;
  const networks = ownNetworks(cluster, node);
  const others = [...cluster.nodes.values()].filter((other) => other !== node);
  return {
    file,
    enabled: options.enable !== 0,
    nftables: options.nftables === 1,
    nosmurfs: options.nosmurfs !== 0,
    allowInvalid: options.nf_conntrack_allow_invalid === 1,
    tcpflags: options.tcpflags === 1,
    broadcasts: listBroadcasts(networks),
    ndp: options.ndp !== 0,
    synflood: options.protection_synflood === 1,
    helpers: String(options.nf_conntrack_helpers ?? '').split(','),
    networks,
    peers: others.flatMap((other) => ownNetworks(cluster, other).slice(0, 1).map(stripPrefixLength)),
  };
}
