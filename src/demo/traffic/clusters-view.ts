import type { FirewallStatus } from '@fabric/agent-contract';

/** A packet that opens a connection, at the card of a guest. */
export type OpeningPacket = {
  site: string;
  vmid: number;
  /** Seen from the guest. */
  direction: 'in' | 'out';
  protocol: 'tcp' | 'udp' | 'icmp';
  source: string;
  destination: string;
  source_port: number | null;
  destination_port: number | null;
};

/** What the packet filter does with it, and the line it leaves in the log of the node, if any. */
export type PacketVerdict = { verdict: 'accept' | 'drop' | 'reject'; line?: string };

/** The card of a guest as its node sees it. */
export type GuestCard = { node: string; device: string; kind: 'tap' | 'veth'; firewalled: boolean; running: boolean };

/** What the demo's agents have to know about the clusters they run in. */
export type ClustersView = {
  /** Undefined when the guest is gone. */
  card(site: string, vmid: number): GuestCard | undefined;
  /** Cards of the running guests of a node. */
  cardsOf(site: string, node: string): (GuestCard & { vmid: number })[];
  evaluatePacket(packet: OpeningPacket, at: Date): PacketVerdict;
  firewallStatus(site: string, node: string): FirewallStatus;
  /** Whether the rules of a running guest are loaded for its card. */
  hasChains(site: string, vmid: number): boolean;
  /** Changes when the rules of the node change. */
  rulesetHash(site: string, node: string): string;
};
