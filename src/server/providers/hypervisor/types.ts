import type { FirewallReader, FirewallWriter } from './firewall-types';

/** How to reach a cluster and prove who we are. Secrets live only here and in the request header. */
export type ClusterAccess = {
  /** Stable key for circuit breakers and concurrency limits (the cluster's id, or `check:<host>` before it has one). */
  key: string;
  api_url: string;
  /** `user@realm!token=secret` */
  api_token: string;
  /** Pinned SHA-256 of the leaf certificate (`AA:BB:…`), or null to trust CAs. */
  tls_fingerprint: string | null;
  /** PEM of the cluster's own CA, or null. */
  tls_ca: string | null;
  /** Other nodes to try when the entry node does not answer. */
  entry_points: readonly { node: string; url: string; fingerprint: string | null }[];
};

export type PreflightStatus = 'ok' | 'warning' | 'failed' | 'unknown';
/** One line of `POST /clusters/check`. `name` is stable: `reachable`, `tls`, `sign_in`, `version`, `privilege:VM.Audit`, `firewall` … */
export type PreflightCheck = { name: string; status: PreflightStatus; detail: string; remedy: string | null };
export type PreflightReport = {
  checks: PreflightCheck[];
  /** Fingerprint of the certificate that the entry node shows, known even when it is not trusted. */
  fingerprint: string | null;
  version: string | null;
  cluster_name: string | null;
};

/** A list together with whether it can be believed to be complete; a filtered list proves no absence. */
export type Listing<T> = { items: T[]; complete: boolean; incompleteReason: string | null };

export type ClusterFact = {
  version: string;
  name: string | null;
  quorate: boolean | null;
  /** Cluster option `enable`; null when it may not be read. */
  firewall_enabled: boolean | null;
  /** Privileges without which no firewall of a workload can be written; null when it could not be read. */
  missing_write_privileges: string[] | null;
  tls_ca: string | null;
};

export type NodeFact = {
  name: string;
  status: 'online' | 'offline' | 'unknown';
  address: string | null;
  tls_fingerprint: string | null;
  provider_version: string | null;
  nftables: boolean | null;
  cpu_count: number | null;
  memory_bytes: number | null;
  uptime_seconds: number | null;
};

export type GuestKind = 'qemu' | 'lxc';
export type GuestRef = { node: string; kind: GuestKind; vmid: number };

/** One guest of the cheap cluster-wide list. `null` means the provider does not say at the moment: keep what is known. */
export type GuestFact = GuestRef & {
  external_id: string;
  /** false: the provider has no runtime data at the moment (a new or moved guest, a dead node); keep what is known. */
  runtime_known: boolean;
  name: string | null;
  status: 'running' | 'stopped' | 'paused' | 'suspended' | 'unknown';
  template: boolean | null;
  tags: string[] | null;
  pool: string | null;
  /** false: `pool` null may also mean that the pool is hidden from the token. */
  pool_known: boolean;
  /** Set while an operation runs (`backup`, `migrate`, `create`, `clone` …). A guest under `create` or `clone` is not complete yet. */
  lock: string | null;
  ha_state: string | null;
  cpu_count: number | null;
  memory_bytes: number | null;
  uptime_seconds: number | null;
};

export type GuestNic = {
  /** `net0` … `net31` */
  name: string;
  /** Name inside the guest, known for containers only. */
  guest_name: string | null;
  model: string | null;
  mac: string | null;
  bridge: string | null;
  vlan_tag: number | null;
  trunks: string | null;
  firewall: boolean;
  link_down: boolean;
  mtu: number | null;
  rate_mbytes: string | null;
  /** Static addresses of a container, or what cloud-init was asked to configure in a virtual machine. */
  ip_config: { ip?: string; gw?: string; ip6?: string; gw6?: string } | null;
  /** The stored value differs and takes effect at the next start; what stands here is the live one. */
  pending: boolean;
  raw: string;
};

export type GuestConfig = {
  /** Where the guest was found; another node than asked for when it moved. */
  node: string;
  digest: string;
  name: string | null;
  creation_fingerprint: string | null;
  nics: GuestNic[];
  /** NIC lines that could not be understood; they are reported, never guessed. */
  unreadable: { name: string; reason: string }[];
};

export type NetworkFact = {
  name: string;
  kind: 'bridge' | 'ovs_bridge' | 'vnet';
  zone: string | null;
  vlan_tag: number | null;
  vlan_aware: boolean | null;
  alias: string | null;
  node_names: string[];
};

export type SubnetFact = {
  network: string;
  cidr: string;
  gateway: string | null;
  dns_servers: string[];
  dhcp_enabled: boolean;
};

/** What of a guest's live configuration matters to its addresses. */
export type GuestSettings = Pick<GuestConfig, 'node' | 'creation_fingerprint' | 'nics' | 'unreadable'> & {
  /** Virtual machines: whether a guest agent is configured. */
  agent_enabled: boolean;
  /** Containers: whether the hypervisor configures the network inside, so that static addresses are in effect. */
  os_managed: boolean;
};

/** One interface inside a guest, as the guest itself says: data of a stranger. */
export type GuestInterface = {
  name: string;
  /** Upper case with colons; null when the guest does not say one or says nonsense. */
  mac: string | null;
  /** Null when the guest does not say, which is not the same as having none. Canonical text, without zone. */
  addresses: { address: string; prefix: number | null }[] | null;
};

export type GuestInterfaces = {
  items: GuestInterface[];
  /** Things in the answer that could not be read, or were too many. */
  ignored: number;
};

/** An address that the SDN's own address management gave to a MAC address. */
export type SdnLease = {
  network: string;
  zone: string;
  address: string;
  mac: string;
  vmid: number | null;
  hostname: string | null;
};

/** Read which addresses guests use. Every method throws ProviderError. */
export interface AddressReader {
  /** Live interfaces and the settings that show how addresses are assigned; a guest that moved is located again. */
  readGuestSettings(guest: GuestRef): Promise<GuestSettings>;
  /**
   * What the guest agent of a virtual machine, or the kernel for a container, says about the interfaces inside.
   * Null when a container does not run. Calls of one node wait for each other: a dead agent blocks a worker of its node.
   */
  readGuestInterfaces(guest: GuestRef): Promise<GuestInterfaces | null>;
  /** Leases and reservations of the SDN; empty and complete on clusters without. */
  listLeases(): Promise<Listing<SdnLease>>;
}

export type Presence = 'present' | 'absent' | 'unknown';

/** Read what a cluster holds. Every method throws ProviderError. */
export interface InventoryReader {
  readCluster(): Promise<ClusterFact>;
  listNodes(): Promise<Listing<NodeFact>>;
  /** All guests, templates and stopped ones included. */
  listGuests(): Promise<Listing<GuestFact>>;
  /** Live (not pending) configuration; a guest that moved is found once more before giving up. */
  readGuestConfig(guest: GuestRef): Promise<GuestConfig>;
  /** Whether the guest exists; `absent` only with proof (the provider says it does not exist), else `unknown`. */
  guestPresence(guest: GuestRef): Promise<Presence>;
  /** Bridges of the node and the vnets on it. */
  listNodeNetworks(node: string): Promise<Listing<NetworkFact>>;
  /** SDN vnets (running configuration) with their subnets. */
  listSdn(): Promise<{ networks: Listing<NetworkFact>; subnets: Listing<SubnetFact> }>;
}

/** Ask a cluster, with any access, what works and what does not; never throws for the cluster's faults. */
export interface Preflight {
  check(): Promise<PreflightReport>;
}

export interface HypervisorProvider {
  readonly preflight: Preflight;
  readonly inventory: InventoryReader;
  readonly addresses: AddressReader;
  readonly firewallReader: FirewallReader;
  readonly firewallWriter: FirewallWriter;
  /** Closes sockets; the provider is not used afterwards. */
  close(): void;
}
