import type { NodeCertificate } from '../pki/cluster-authority';
import { NodeWorkers } from '../transport/workers';

/** One entry of `GET /nodes/{node}/network`. */
export type NetworkInterface = {
  iface: string;
  type: 'bridge' | 'bond' | 'eth' | 'vlan' | 'OVSBridge' | 'OVSPort' | 'OVSBond' | 'OVSIntPort' | 'alias' | 'unknown';
} & Record<string, unknown>;

/**
 * How a node behaves towards clients and towards nodes that forward to it.
 * - `up`: answers
 * - `down`: powered off; connections are refused, forwarding nodes get `No route to host` after a while
 * - `refusing`: the API service is stopped, the node is a quorate member
 * - `silent`: packets vanish: accepted connections never get an answer
 */
export type NodeReachability = 'up' | 'down' | 'refusing' | 'silent';

export type NodeInit = {
  name: string;
  /** Full name, as in the certificate. */
  fqdn: string;
  /** Loopback address reported as the node's cluster address. */
  ip: string;
  id: number;
  cores: number;
  memory: number;
  interfaces: NetworkInterface[];
  workers: number;
  random: () => number;
};

/** One hypervisor host. */
export class PveNode {
  readonly name: string;
  readonly fqdn: string;
  readonly ip: string;
  readonly id: number;
  readonly cores: number;
  readonly memory: number;
  interfaces: NetworkInterface[];
  reachability: NodeReachability = 'up';
  /** Text diff of staged changes to the network configuration, reported as `changes`. */
  networkChanges: string | undefined;
  certificate: NodeCertificate | undefined;
  /** A certificate from elsewhere (ACME), which replaces the default one when present. */
  customCertificate: NodeCertificate | undefined;
  /** CA of the custom certificate. */
  customCaPem: string | undefined;
  bootedAt: number;
  /** The status daemon may die alone: the node then looks online, its guests `unknown` after 300 s. */
  statusDaemonRunning = true;
  /** Lines of the firewall log file, and of the files it was rotated into. */
  readonly firewallLog: { current: string[]; rotated: string[] } = { current: [], rotated: [] };
  readonly workers: NodeWorkers;

  constructor(init: NodeInit, now: number) {
    this.name = init.name;
    this.fqdn = init.fqdn;
    this.ip = init.ip;
    this.id = init.id;
    this.cores = init.cores;
    this.memory = init.memory;
    this.interfaces = structuredClone(init.interfaces);
    this.bootedAt = now - 30 * 86_400_000;
    this.workers = new NodeWorkers(init.workers, init.random);
  }

  /** Member of the quorate partition. */
  get online(): boolean {
    return this.reachability === 'up' || this.reachability === 'refusing';
  }

  /** The certificate the API service presents. */
  get servedCertificate(): NodeCertificate | undefined {
    return this.customCertificate ?? this.certificate;
  }
}
