import {
  FILE_SCOPES,
  type FileScope,
  type FirewallFile,
  parseFirewallFile,
  printFirewallFile,
} from '../firewall/firewall-file';
import { PveError, parameterError, permissionError } from '../pve-error';
import { common, formats } from '../schema/formats';
import type { GuestType } from '../schema/guest-nic';
import type { ParamSpecs } from '../schema/param-spec';
import type { ClusterState } from '../state/cluster-state';
import { type Call, mayAccess, type Permission } from './route';

/** One place that has a firewall file: the cluster, a node, a guest, a VNet. */
export type FirewallScope = {
  /** Path of the API below which its objects hang. */
  base: string;
  pathParams: ParamSpecs;
  /** Are rules forwarded to the node in the path? Options of guests are although their rules are not. */
  rulesProxied: boolean;
  optionsProxied: boolean;
  read: Permission | undefined;
  write: Permission | undefined;
  /** Rights that are checked inside the handlers. */
  check?(call: Call, purpose: 'read' | 'write'): void;
  file: FileScope;
  path(call: Call): string;
  lock(call: Call): string;
};

const SYS_AUDIT: Permission = { path: '/', anyOf: ['Sys.Audit'] };

export const CLUSTER_SCOPE: FirewallScope = {
  base: '/cluster/firewall',
  pathParams: {},
  rulesProxied: false,
  optionsProxied: false,
  read: SYS_AUDIT,
  write: { path: '/', anyOf: ['Sys.Modify'] },
  file: FILE_SCOPES.cluster,
  path: () => 'firewall/cluster.fw',
  lock: () => 'firewall-cluster',
};

export const HOST_SCOPE: FirewallScope = {
  base: '/nodes/{node}/firewall',
  pathParams: { node: common.node },
  rulesProxied: true,
  optionsProxied: true,
  read: { path: '/nodes/{node}', anyOf: ['Sys.Audit'] },
  write: { path: '/nodes/{node}', anyOf: ['Sys.Modify'] },
  file: FILE_SCOPES.host,
  path: (call) => `nodes/${call.node.name}/host.fw`,
  lock: (call) => `firewall-host-${call.node.name}`,
};

const guestScope = (type: GuestType): FirewallScope => ({
  base: `/nodes/{node}/${type}/{vmid}/firewall`,
  pathParams: { node: common.node, vmid: common.vmid },
  rulesProxied: false,
  optionsProxied: true,
  read: { path: '/vms/{vmid}', anyOf: ['VM.Audit'] },
  write: { path: '/vms/{vmid}', anyOf: ['VM.Config.Network'] },
  file: FILE_SCOPES[type],
  path: (call) => `firewall/${call.params.vmid}.fw`,
  lock: (call) => `firewall-vm-${call.params.vmid}`,
});

export const GUEST_SCOPES: readonly FirewallScope[] = [guestScope('qemu'), guestScope('lxc')];

export const VNET_SCOPE: FirewallScope = {
  base: '/cluster/sdn/vnets/{vnet}/firewall',
  pathParams: { vnet: { type: 'string', format: formats.vnet } },
  rulesProxied: false,
  optionsProxied: false,
  read: undefined,
  write: undefined,
  check(call, purpose) {
    const name = call.params.vnet ?? '';
    const vnet = call.cluster.sdn.running.vnets.get(name) ?? call.cluster.sdn.staged.vnets.get(name);
    if (!vnet) throw parameterError({ vnet: `invalid vnet '${name}' specified` });
    const path = `/sdn/zones/${vnet.zone}/${name}`;
    const privileges = purpose === 'read' ? ['SDN.Audit', 'SDN.Allocate'] : ['SDN.Allocate'];
    if (!mayAccess(call, path, privileges)) throw permissionError(path, privileges);
  },
  file: FILE_SCOPES.vnet,
  path: (call) => `sdn/firewall/${call.params.vnet}.fw`,
  lock: (call) => `firewall-vnet-${call.params.vnet}`,
};

/** Sets the SDN configuration offers to rules, as far as the caller may see their VNet or guest. */
export function visibleSdnSets(call: Call): Map<string, string> {
  const sets = new Map<string, string>();
  const { vnets, subnets } = call.cluster.sdn.running;
  for (const vnet of vnets.values()) {
    if (!mayAccess(call, `/sdn/zones/${vnet.zone}/${vnet.vnet}`, ['SDN.Audit', 'SDN.Use'])) continue;
    if (![...subnets.values()].some((subnet) => subnet.vnet === vnet.vnet)) continue;
    for (const kind of ['all', 'gateway', 'no-gateway', 'dhcp']) {
      sets.set(`${vnet.vnet}-${kind}`, `Automatically generated ipset for VNet ${vnet.vnet}`);
    }
  }
  for (const { vmid } of call.cluster.leases) {
    if (vmid === undefined || !mayAccess(call, `/vms/${vmid}`, ['VM.Audit'])) continue;
    sets.set(`guest-ipam-${vmid}`, `Automatically generated ipset for guest ${vmid}`);
  }
  return sets;
}

const clusterFile = (call: Call): string => call.cluster.files.get('firewall/cluster.fw') ?? '';

/** The cluster file, parsed again on every call: callers may change it. */
export function readClusterFirewall(call: Call): FirewallFile {
  const sdnSets = new Set(visibleSdnSets(call).keys());
  return parseFirewallFile(clusterFile(call), FILE_SCOPES.cluster, { sdnSets });
}

type Datacenter = { datacenter: FirewallFile; sdnSets: ReadonlySet<string> };
const datacenters = new WeakMap<ClusterState, Datacenter & { text: string; sdnKey: string }>();

/**
 * What files of nodes, guests and VNets refer to. The server parses it on every call; the same text means the same, so it is
 * kept until the text or what the caller sees of the SDN changes.
 */
function loadDatacenter(call: Call): Datacenter {
  const text = clusterFile(call);
  const sdnSets = new Set(visibleSdnSets(call).keys());
  const sdnKey = [...sdnSets].join();
  const known = datacenters.get(call.cluster);
  if (known?.text === text && known.sdnKey === sdnKey) return known;
  const datacenter = parseFirewallFile(text, FILE_SCOPES.cluster, { sdnSets });
  const parsed = { text, sdnKey, datacenter, sdnSets };
  datacenters.set(call.cluster, parsed);
  return parsed;
}

type Parsed = { text: string; datacenter: FirewallFile; file: FirewallFile };
const parsedFiles = new WeakMap<ClusterState, Map<string, Parsed>>();

/**
 * The file of a scope. A missing file reads as empty, whether or not the guest exists. What is read without the lock is kept
 * until a text changes and must not be changed; with the lock a fresh copy is returned.
 */
export function readFirewall(call: Call, scope: FirewallScope, locked = false): FirewallFile {
  if (scope === CLUSTER_SCOPE) return readClusterFirewall(call);
  const path = scope.path(call);
  // Readers take no lock, so they may see a file while it is being replaced.
  const text = !locked && call.cluster.emptyReads.delete(path) ? '' : (call.cluster.files.get(path) ?? '');
  const outer = loadDatacenter(call);
  if (locked) return parseFirewallFile(text, scope.file, outer);
  const files = parsedFiles.get(call.cluster) ?? new Map<string, Parsed>();
  parsedFiles.set(call.cluster, files);
  const known = files.get(path);
  if (known?.text === text && known.datacenter === outer.datacenter) return known.file;
  const file = parseFirewallFile(text, scope.file, outer);
  files.set(path, { text, datacenter: outer.datacenter, file });
  return file;
}

/** References a rule of the scope may use, given its own file. */
export function referencesFor(call: Call, scope: FirewallScope, own: FirewallFile) {
  if (scope === CLUSTER_SCOPE) return { datacenter: own, sdnSets: new Set(visibleSdnSets(call).keys()) };
  const { datacenter, sdnSets } = loadDatacenter(call);
  return scope.file.options === 'guest' ? { datacenter, guest: own, sdnSets } : { datacenter, sdnSets };
}

const MAX_FILE_BYTES = 1024 ** 2;

/** Reads, changes and rewrites a file under its cluster-wide lock. */
export function editFirewall(call: Call, scope: FirewallScope, change: (file: FirewallFile) => void): Promise<null> {
  const { cluster } = call;
  return cluster.locks.withClusterLock(scope.lock(call), async () => {
    await cluster.clock.sleep(cluster.fileWriteMs);
    const file = readFirewall(call, scope, true);
    change(file);
    const text = printFirewallFile(file, (names) => cluster.random.shuffle(names));
    const path = scope.path(call);
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
      throw new PveError(500, `unable to write '/etc/pve/${path}.tmp.1' - File too large`);
    }
    cluster.change(() => {
      if (text === '') cluster.files.delete(path);
      else cluster.files.set(path, text);
    });
    return null;
  });
}

/** Optimistic locking: nothing is checked when the caller sent no digest. */
export function assertUnmodified(current: string, given: string | undefined): void {
  if (given !== undefined && given !== '' && given !== current) {
    throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
  }
}
