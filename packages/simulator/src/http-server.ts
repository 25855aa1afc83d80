import { createSimClock, type SimClock, type SimClockOptions } from './clock';
import { ClusterControl } from './control/cluster-control';
import { type AuthorityKeys, createClusterAuthority, type NodeCertificate } from './pki/cluster-authority';
import { PVE_VERSIONS } from './pve-version';
import { createRandom } from './random';
import { allRoutes } from './routes/all-routes';
import { createRouter } from './routes/router';
import type { ClusterSpec, Scenario } from './scenarios/scenario';
import { addStandardAccess } from './scenarios/standard-access';
import { ClusterState } from './state/cluster-state';
import type { Latency } from './transport/execute-call';
import { type Fault, type FaultHandle, FaultTable, type RequestMatch } from './transport/faults';
import { LoadMeter } from './transport/load-meter';
import { NodeListener } from './transport/node-listener';
import { RequestLog } from './transport/request-log';

/*
 * The simulator of the Proxmox VE API, by area:
 *
 *   http-server.ts   startSimulator: clusters, listeners, clock
 *   main.ts          the same as a process of its own, with a control endpoint
 *   pki/             per-cluster CA and per-node certificates
 *   transport/       HTTPS listeners, request checks, worker processes, forwarding, faults, log, load meter
 *   access/          tokens, roles, ACLs, sign-in
 *   schema/          parameter declarations, named formats, property strings, NIC grammar
 *   state/           nodes, guests, status cache, SDN, locks, tasks of one cluster
 *   config/          guest configuration files as text
 *   firewall/        firewall files as text, rule checks, digests, compiled view of what is enforced
 *   routes/          one file per area of the API
 *   control/         what tests may do behind a client's back
 *   scenarios/       worlds to start with
 *   vectors/         inputs and results of the real parser
 *
 * Nothing here knows the client that is tested with it.
 */

/** Certificates of a cluster from an earlier start; by name of the node. */
export type ClusterIdentity = { authority: AuthorityKeys; nodes: Record<string, NodeCertificate> };

export type SimulatorOptions = SimClockOptions & {
  scenario: Scenario;
  /** Certificates to present again, by name of the cluster. Without them every start makes new ones. */
  identities?: Readonly<Record<string, ClusterIdentity>>;
  /** Port of every node; default: a free one per cluster. All nodes of a cluster share it, on different addresses. */
  port?: number;
  /** Virtual ms every call takes in its worker; default 0. */
  latency?: number | Latency;
  /** Virtual ms every write to the replicated file system takes while its lock is held; default 0. */
  fileWriteMs?: number;
  clock?: SimClock;
};

export type Simulator = {
  clock: SimClock;
  log: RequestLog;
  clusters: ClusterControl[];
  /** The cluster of this name, or the only one. */
  cluster(name?: string): ClusterControl;
  /** Lets a fault strike matching requests; see `transport/faults.ts`. */
  onRequest(match: RequestMatch, fault: Fault, limits?: { times?: number; skip?: number }): FaultHandle;
  clearFaults(): void;
  close(): Promise<void>;
};

/** Address of a node: every cluster has its own 127.0.x.0/24 network. */
const loopback = (cluster: number, node: number) => `127.0.${10 + cluster}.${1 + node}`;

/** Starts one HTTPS listener per node of every cluster of the scenario, on loopback addresses only. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? createSimClock(options);
  const log = new RequestLog();
  const faults = new FaultTable();
  const router = createRouter(allRoutes);
  const { latency: given = 0 } = options;
  const latency: Latency = typeof given === 'function' ? given : () => given;
  const listeners: NodeListener[] = [];

  const startCluster = async (spec: ClusterSpec, index: number): Promise<ClusterControl> => {
    const random = createRandom(options.scenario.seed + index);
    const identity = options.identities?.[spec.name];
    const cluster = createCluster(spec, index, clock, options.scenario.seed + index, identity);
    const tokens = addStandardAccess(cluster, random);
    cluster.fileWriteMs = options.fileWriteMs ?? 0;
    spec.build(cluster, random);
    cluster.status.prime(clock.now());
    const meter = new LoadMeter();
    const own = new Map<string, NodeListener>();
    for (const node of cluster.nodes.values()) {
      own.set(node.name, new NodeListener(node, { cluster, clock, meter, latency, faults, log, router }));
    }
    listeners.push(...own.values());
    await listenOnSharedPort([...own.values()], options.port ?? 0);
    return new ClusterControl(cluster, tokens, meter, own);
  };

  const close = async () => {
    clock.stop();
    await Promise.all(listeners.map((listener) => listener.close()));
  };

  const clusters: ClusterControl[] = [];
  try {
    for (const [index, spec] of options.scenario.clusters.entries()) clusters.push(await startCluster(spec, index));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    clock,
    log,
    clusters,
    cluster(name) {
      const found = name === undefined ? clusters[0] : clusters.find((cluster) => cluster.name === name);
      if (!found) throw new Error(`no cluster ${name}`);
      return found;
    },
    onRequest: (match, fault, limits) => faults.add(match, fault, limits),
    clearFaults: () => faults.clear(),
    close,
  };
}

function createCluster(
  spec: ClusterSpec,
  index: number,
  clock: SimClock,
  seed: number,
  identity: ClusterIdentity | undefined,
): ClusterState {
  const now = new Date(clock.now());
  const random = createRandom(seed);
  const cluster = new ClusterState({
    name: spec.name,
    version: PVE_VERSIONS[spec.version],
    authority: createClusterAuthority(random.uuid(), now, identity?.authority),
    clock,
    random,
    nodes: spec.nodes.map((node, position) => ({
      name: node.name,
      fqdn: `${node.name}.${spec.domain}`,
      ip: loopback(index, position),
      id: position + 1,
      cores: node.cores ?? 32,
      memory: node.memory ?? 256 * 1024 ** 3,
      interfaces: node.interfaces,
      workers: spec.workers ?? 3,
      random,
    })),
  });
  for (const node of cluster.nodes.values()) {
    node.certificate =
      identity?.nodes[node.name] ??
      cluster.authority.issueLeaf({ name: node.name, fqdn: `${node.name}.${spec.domain}`, ip: node.ip }, now);
  }
  return cluster;
}

/** A cluster's nodes share one port; when a free one turns out to be taken on another address, another is tried. */
async function listenOnSharedPort(listeners: NodeListener[], port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      let shared = port;
      for (const listener of listeners) {
        await listener.open(shared);
        shared = listener.port;
      }
      return;
    } catch (error) {
      await Promise.all(listeners.map((listener) => listener.close()));
      if (port !== 0 || attempt >= 20) throw error;
    }
  }
}
