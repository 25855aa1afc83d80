import { generatedCluster } from './generated-cluster';
import type { Scenario } from './scenario';

/** One healthy cluster of any size for measurements; set the latency of calls when starting the simulator. */
export const bench = (nodes: number, guests: number, seed = 1): Scenario => ({
  name: 'bench',
  seed,
  clusters: [generatedCluster({ name: 'bench', version: 'pve9', nodes, guests, network: 110, healthy: true })],
});
