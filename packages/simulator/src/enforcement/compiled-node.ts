import { nicNames } from '../config/guest-config';
import { FILE_SCOPES, type FirewallFile, parseFirewallFile, type SetEntry } from '../firewall/firewall-file';
import { nicMac, parseNic } from '../schema/guest-nic';
import type { ClusterState } from '../state/cluster-state';
import type { Guest } from '../state/guest';
import type { PveNode } from '../state/node';
import { addressRange } from './address-range';
import { findIptablesFault, findNftablesFault, type LocalGuest } from './compile-faults';
import { GroupChains } from './group-chains';
import { type HostFilter, hostFilter, listGateways } from './host-filter';
import type { ParsedFiles } from './parsed-files';

/** Chains of one guest as the node's firewall service wrote them last. */
export type CompiledGuest = {
  guest: Guest;
  file: FirewallFile;
  /** NICs with chains of their own: name → address. */
  nics: Map<string, string>;
  /** NICs that may send from certain addresses only: name → entries of the set that the kernel holds. */
  senders: Map<string, readonly SetEntry[]>;
};

export type CompiledNode = {
  /** Virtual ms of the compile that took effect. */
  at: number;
  implementation: 'iptables' | 'nftables';
  /** The cluster's switch as it was. Off: nothing is filtered. */
  enabled: boolean;
  host: HostFilter;
  datacenter: FirewallFile;
  guests: Map<number, CompiledGuest>;
  /** With iptables: what the chains of groups have. */
  groups?: GroupChains;
  /** Firewall files of all guests on the node, also of those without chains. */
  files: Map<number, FirewallFile>;
  sdnSets: Map<string, readonly string[]>;
  /** Running VNets, with the addresses that the node has in them. */
  vnets: Map<string, { file: FirewallFile; gateways: readonly string[] }>;
};

/** Why a compile had no effect: the ruleset of before stays. */
export type CompileFailure = { reason: string };

/** Networks behind the sets that the SDN configuration offers. */
export function sdnSetNetworks(cluster: ClusterState): Map<string, readonly string[]> {
  const sets = new Map<string, string[]>();
  for (const subnet of cluster.sdn.running.subnets.values()) {
    const add = (kind: string, ...cidrs: (string | undefined)[]) => {
      const known = sets.get(`${subnet.vnet}-${kind}`) ?? [];
      sets.set(`${subnet.vnet}-${kind}`, [...known, ...cidrs.filter((cidr) => cidr !== undefined)]);
    };
    add('all', subnet.cidr);
    add('gateway', subnet.gateway);
    add('no-gateway', subnet.cidr);
    add('dhcp', ...(subnet['dhcp-range'] ?? []).map((range) => `${range['start-address']}-${range['end-address']}`));
  }
  for (const lease of cluster.leases) {
    if (lease.vmid === undefined) continue;
    const name = `guest-ipam-${lease.vmid}`;
    sets.set(name, [...(sets.get(name) ?? []), lease.ip]);
  }
  return sets;
}

export const nftablesEnabled = (cluster: ClusterState, node: PveNode): boolean => {
  const text = cluster.files.get(`nodes/${node.name}/host.fw`) ?? '';
  // Every change and every packet asks.
  if (!/nftables/i.test(text)) return false;
  const { options } = parseFirewallFile(text, FILE_SCOPES.host, { sdnSets: new Set() });
  return options.nftables === 1;
};

/** Is the cluster firewall on at this moment? A value above 1 counts for sixty seconds. */
export function clusterEnabled(options: FirewallFile['options'], nowSeconds: number): boolean {
  const enable = Number(options.enable ?? 0);
  return enable > 1 ? nowSeconds - enable <= 60 : enable === 1;
}

const firewalledNics = (guest: Guest): Map<string, string> => {
  const nics = new Map<string, string>();
  for (const name of nicNames(guest.config.current)) {
    const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
    if (nic?.firewall === '1') nics.set(name, (nicMac(guest.type, nic) ?? '').toLowerCase());
  }
  return nics;
};

/** The link-local address made from a hardware address. */
function linkLocal(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const [first = 0, ...rest] = bytes;
  const all = [first ^ 2, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)];
  const words = [0, 2, 4, 6].map((at) => (((all[at] ?? 0) << 8) | (all[at + 1] ?? 0)).toString(16));
  return `fe80::${words.join(':')}`;
}

/** The static addresses that a container's configuration gives to a NIC. */
function staticAddresses(guest: Guest, name: string): SetEntry[] {
  if (guest.type !== 'lxc') return [];
  const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
  return [nic?.ip, nic?.ip6].flatMap((text) =>
    text && addressRange(text) ? [{ cidr: text.split('/')[0] ?? text }] : [],
  );
}

/**
 * Sets by which senders are filtered. With iptables a set that is stored under the name of the NIC filters by its
 * existence, and the option makes one for each NIC without; to every one the kernel's adds the link-local address made
 * from the NIC's own, takes out all others, and adds a container's static addresses. With nftables only the option
 * filters, and a stored set is taken as it is.
 */
function senderSets(
  guest: Guest,
  file: FirewallFile,
  nics: ReadonlyMap<string, string>,
  implementation: CompiledNode['implementation'],
): CompiledGuest['senders'] {
  const sets: CompiledGuest['senders'] = new Map();
  for (const [name, mac] of nics) {
    const stored = file.ipsets.get(`ipfilter-${name}`)?.entries;
    const own = mac === '' ? [] : [{ cidr: linkLocal(mac) }];
    const statics = staticAddresses(guest, name);
    if (implementation === 'nftables') {
      if (file.options.ipfilter === 1) sets.set(name, stored ?? [...own, ...statics]);
    } else if (stored || file.options.ipfilter === 1) {
      sets.set(name, [...(stored ?? []), ...own, { cidr: 'fe80::/10', nomatch: 1 }, ...statics]);
    }
  }
  return sets;
}

/** Builds the ruleset a node would load now, from the files and the guests that run on it. */
export function compileNode(
  cluster: ClusterState,
  node: PveNode,
  at: number,
  cache: ParsedFiles,
): CompiledNode | CompileFailure {
  const sdnSets = sdnSetNetworks(cluster);
  const parsed = cache.forFiles(cluster.files.get('firewall/cluster.fw') ?? '', new Set(sdnSets.keys()));
  const { datacenter } = parsed;
  const host = hostFilter(cluster, node, datacenter);
  const implementation = host.nftables ? 'nftables' : 'iptables';
  const enabled = clusterEnabled(datacenter.options, Math.floor(at / 1000));
  const compiled: CompiledNode = {
    at,
    implementation,
    enabled,
    host,
    datacenter,
    guests: new Map(),
    files: new Map(),
    sdnSets,
    vnets: new Map(),
  };
  if (!enabled) return compiled;
  for (const name of cluster.sdn.running.vnets.keys()) {
    const text = cluster.files.get(`sdn/firewall/${name}.fw`) ?? '';
    const file = parseFirewallFile(text, FILE_SCOPES.vnet, { datacenter, sdnSets: new Set(sdnSets.keys()) });
    compiled.vnets.set(name, { file, gateways: listGateways(cluster, node, name) });
  }
  const locals = cluster.guestsOn(node.name).map((guest): LocalGuest => {
    const text = cluster.files.get(`firewall/${guest.vmid}.fw`);
    return { guest, ...parsed.guest(guest.vmid, guest.type, text) };
  });
  const reason = (implementation === 'nftables' ? findNftablesFault : findIptablesFault)(locals, datacenter, host);
  if (reason !== undefined) return { reason };
  if (implementation === 'iptables') compiled.groups = new GroupChains({ datacenter, sdnSets }, host, locals);
  for (const { guest, file } of locals) {
    compiled.files.set(guest.vmid, file);
    if (!guest.isRunning || file.options.enable !== 1) continue;
    const nics = firewalledNics(guest);
    const senders = senderSets(guest, file, nics, implementation);
    compiled.guests.set(guest.vmid, { guest, file, nics, senders });
  }
  return compiled;
}
