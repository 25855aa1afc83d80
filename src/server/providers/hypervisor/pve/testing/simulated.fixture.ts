import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import { type Simulator, startSimulator } from '@fabric/simulator/http-server';
import type { PveVersionName } from '@fabric/simulator/pve-version';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import type { StandardTokens } from '@fabric/simulator/scenarios/standard-access';
import { onTestFinished } from 'vitest';
import type { ClusterAccess, HypervisorProvider } from '../../types';
import type { ClientOptions } from '../client-options';
import type { RenewedCertificate } from '../entry-node';
import { createPveProvider } from '../provider';
import { LOOPBACK } from './client.fixture';

export type Simulated = {
  simulator: Simulator;
  cluster: ClusterControl;
  /** Access through the first node, its certificate pinned, the other nodes as further entry points. */
  access: (token?: keyof StandardTokens, changes?: Partial<ClusterAccess>) => ClusterAccess;
  provider: (access?: ClusterAccess, changes?: Partial<ClientOptions>) => TestProvider;
};
export type TestProvider = HypervisorProvider & { renewed: RenewedCertificate[]; warnings: unknown[] };

/** Nodes broadcast every ten seconds, each at its own moment. Every test starts at the same distance from them. */
const BROADCASTS = 10_000;

let keys = 0;

/**
 * The small lab (three nodes, fifteen guests) in the simulator. Its seconds last 50 ms, so that delays of the product
 * cost little, while a busy machine does not look like a node that takes 30 seconds; the client's clock is the simulator's. `latency` is what each call takes, in its milliseconds.
 */
export async function simulate(version: PveVersionName = 'pve9', timeScale = 500, latency = 0): Promise<Simulated> {
  const clusters = smallLab.clusters.map((cluster) => ({ ...cluster, version }));
  const startAt = Math.floor(Date.now() / BROADCASTS) * BROADCASTS + 2_000;
  const simulator = await startSimulator({ scenario: { ...smallLab, clusters }, timeScale, latency, startAt });
  onTestFinished(() => simulator.close());
  const cluster = simulator.cluster();
  const access: Simulated['access'] = (token = 'manager', changes = {}) => {
    const [first, ...others] = cluster.nodes;
    return {
      key: `simulated-${++keys}`,
      api_url: first?.url ?? '',
      api_token: cluster.tokens[token],
      tls_fingerprint: first?.fingerprint256 ?? null,
      tls_ca: null,
      entry_points: others.map(({ name, url, fingerprint256 }) => ({ node: name, url, fingerprint: fingerprint256 })),
      ...changes,
    };
  };
  const provider: Simulated['provider'] = (to = access(), changes = {}) => {
    const renewed: RenewedCertificate[] = [];
    const warnings: unknown[] = [];
    const created = createPveProvider({
      access: to,
      allowTargets: LOOPBACK,
      clock: { now: () => new Date(simulator.clock.now()) },
      logger: { info: () => {}, warn: (...args: unknown[]) => void warnings.push(args) },
      onCertificateRenewed: (certificate) => renewed.push(certificate),
      pause: async () => {},
      ...changes,
    });
    onTestFinished(() => created.close());
    return Object.assign(created, { renewed, warnings });
  };
  return { simulator, cluster, access, provider };
}
