import { nicNames } from '../config/guest-config';
import { FILE_SCOPES, type FirewallFile, parseFirewallFile, type SetEntry } from '../firewall/firewall-file';
import { NFTABLES_NIC_MODELS, nicMac, parseNic } from '../schema/guest-nic';
import type { ClusterState } from '../state/cluster-state';
import type { Guest } from '../state/guest';
import type { PveNode } from '../state/node';
import { addressRange } from './address-range';
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
  datacenter: FirewallFile;
  guests: Map<number, CompiledGuest>;
  sdnSets: Map<string, readonly string[]>;
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
  const { options } = parseFirewallFile(text, FILE_SCOPES.host, { sdnSets: new Set() });
  return options.nftables === 1;
};

/** Is the cluster firewall on at this moment? A value above 1 counts for sixty seconds. */
export function clusterEnabled(options: FirewallFile['options'], nowSeconds: number): boolean {
  const enable = Number(options.enable ?? 0);
  return enable > 1 ? nowSeconds - enable <= 60 : enable === 1;
}

/** A value the API accepts and the packet filter does not; it blocks the update of the whole node. */
function unloadableAddress(file: FirewallFile): string | undefined {
  for (const rule of file.rules) {
    for (const spec of [rule.source, rule.dest]) {
      if (!rule.enable || rule.errors || spec === undefined || /^[+A-Za-z]/.test(spec)) continue;
      const wrong = spec.split(',').find((element) => addressRange(element) === undefined);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

function nftablesObjection(guest: Guest, text: string | undefined, skipped: string[]): string | undefined {
  if (text === undefined) return undefined;
  if (skipped.length > 0) return `guest ${guest.vmid}: cannot parse '${skipped[0]}'`;
  for (const name of nicNames(guest.config.current)) {
    const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
    if (name === 'net31') return `guest ${guest.vmid}: cannot handle net31`;
    if (guest.type === 'qemu' && nic && !NFTABLES_NIC_MODELS.includes(nic.model ?? '')) {
      return `guest ${guest.vmid}: unknown network model ${nic.model}`;
    }
  }
  return undefined;
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

/**
 * Sets by which senders are filtered. One that is stored under the name of the NIC filters by its existence; the option
 * makes one for each NIC without, with the static addresses of a container. To both the kernel set adds the link-local
 * address made from the NIC's own, and takes out all others.
 */
function senderSets(guest: Guest, file: FirewallFile, nics: ReadonlyMap<string, string>): CompiledGuest['senders'] {
  const sets: CompiledGuest['senders'] = new Map();
  for (const [name, mac] of nics) {
    const stored = file.ipsets.get(`ipfilter-${name}`);
    if (!stored && file.options.ipfilter !== 1) continue;
    const nic = parseNic(guest.type, guest.config.current.get(name) ?? '');
    const fixed = guest.type === 'lxc' && !stored ? [nic?.ip, nic?.ip6] : [];
    const addresses = fixed.flatMap((text) =>
      text && addressRange(text) ? [{ cidr: text.split('/')[0] ?? text }] : [],
    );
    const own = mac === '' ? [] : [{ cidr: linkLocal(mac) }];
    sets.set(name, [...(stored?.entries ?? addresses), ...own, { cidr: 'fe80::/10', nomatch: 1 }]);
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
  const implementation = nftablesEnabled(cluster, node) ? 'nftables' : 'iptables';
  const sdnSets = sdnSetNetworks(cluster);
  const parsed = cache.forFiles(cluster.files.get('firewall/cluster.fw') ?? '', new Set(sdnSets.keys()));
  const { datacenter } = parsed;
  const compiled: CompiledNode = { at, implementation, datacenter, guests: new Map(), sdnSets };
  if (!clusterEnabled(datacenter.options, Math.floor(at / 1000))) return compiled;
  for (const guest of cluster.guestsOn(node.name)) {
    const text = cluster.files.get(`firewall/${guest.vmid}.fw`);
    const { file, skipped } = parsed.guest(guest.vmid, guest.type, text);
    const objection = implementation === 'nftables' ? nftablesObjection(guest, text, skipped) : undefined;
    if (objection !== undefined) return { reason: objection };
    if (!guest.isRunning || file.options.enable !== 1) continue;
    const unloadable = unloadableAddress(file);
    if (unloadable !== undefined) return { reason: `guest ${guest.vmid}: cannot load address '${unloadable}'` };
    const nics = firewalledNics(guest);
    compiled.guests.set(guest.vmid, { guest, file, nics, senders: senderSets(guest, file, nics) });
  }
  return compiled;
}
