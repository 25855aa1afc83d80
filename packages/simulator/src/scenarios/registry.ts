import { chaos } from './chaos';
import { generatedCluster } from './generated-cluster';
import type { Scenario } from './scenario';
import { smallLab } from './small-lab';

/** One healthy cluster of any size for measurements; set the latency of calls when starting the simulator. */
export const bench = (nodes: number, guests: number, seed = 1): Scenario => ({
  name: 'bench',
  seed,
  clusters: [generatedCluster({ name: 'bench', version: 'pve9', nodes, guests, network: 110, healthy: true })],
});

/** Three clusters of eight nodes and 1000 guests each, on three releases; the same seed builds the same guests. */
export const enterprise = (seed = 2026, guestsPerCluster = 1000): Scenario => ({
  name: 'enterprise',
  seed,
  clusters: [
    generatedCluster({ name: 'fra', version: 'pve9', nodes: 8, guests: guestsPerCluster, network: 101 }),
    generatedCluster({
      name: 'ams',
      version: 'pve8',
      nodes: 8,
      guests: guestsPerCluster,
      network: 102,
      firstVmid: 5000,
    }),
    generatedCluster({ name: 'old', version: 'pve8Old', nodes: 8, guests: guestsPerCluster, network: 103 }),
  ],
});

/** Scenarios that can be started by name. */
export const scenarios: Record<string, () => Scenario> = {
  'small-lab': () => smallLab,
  enterprise: () => enterprise(),
  chaos: () => chaos,
  bench: () => bench(8, 1000),
};
