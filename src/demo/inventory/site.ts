/** A network of a site: an SDN VNet when it has an alias, else a bridge, with or without VLAN. */
export type DemoNetwork = { bridge: string; tag?: number; cidr: string; alias?: string };

/** One guest: what it is, where it stands, and the address it has. */
export type DemoGuest = {
  vmid: number;
  name: string;
  kind: 'vm' | 'ct';
  node: string;
  network: string;
  address: string;
  address6?: string;
  /** One that moved to it from another guest. */
  second_address?: string;
  tags: readonly string[];
  pool: string;
  cores?: number;
  /** GiB. */
  memory?: number;
  windows?: true;
  stopped?: true;
  template?: true;
  /** The guest agent is not installed, or does not answer; VMs only. */
  agent?: 'absent' | 'silent';
  docker?: true;
  description?: string;
  /** Text of the guest's firewall file; absent: its firewall is off. */
  firewall?: string;
};

export type DemoSite = {
  /** Name of the cluster in Fabric. */
  cluster_name: string;
  /** Name the simulated cluster calls itself. */
  name: string;
  version: 'pve9' | 'pve8';
  domain: string;
  /** First three octets of the nodes' own addresses. */
  management: string;
  nodes: readonly string[];
  /** What each node is made of; the newest one has twice as much. */
  hardware: { cores: number /** GiB. */; memory: number };
  pools: Readonly<Record<string, string>>;
  networks: Readonly<Record<string, DemoNetwork>>;
  clusterFirewall: string;
  /** Texts of the firewall files of nodes and VNets, by name; absent: nothing is stored. */
  nodeFirewalls?: Readonly<Record<string, string>>;
  vnetFirewalls?: Readonly<Record<string, string>>;
  guests: readonly DemoGuest[];
};
