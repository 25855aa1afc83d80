import { startSimulator } from '@fabric/simulator/http-server';
import { bench } from '@fabric/simulator/scenarios/registry';

// The simulated cluster as a process of its own, so that its work does not count as the benchmark's.
// Arguments: nodes, guests, latency in milliseconds. Answers each line on stdin with the number of calls so far.
const [nodes = 8, guests = 1000, latency = 50] = process.argv.slice(2).map(Number);
const simulator = await startSimulator({ scenario: bench(nodes, guests), latency });
const { nodes: addresses, tokens } = simulator.cluster();
const [first] = addresses;
process.stdout.write(
  `${JSON.stringify({ url: first?.url, fingerprint: first?.fingerprint256, token: tokens.manager })}\n`,
);
process.stdin.on('data', () => process.stdout.write(`${JSON.stringify(simulator.log.counts())}\n`));
process.on('SIGTERM', () => {
  void simulator.close().then(() => process.exit(0));
});
