import { generatedCluster } from './generated-cluster';
import type { Scenario } from './scenario';

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
