import { startSimulator } from '@/server/providers/hypervisor/fake/http-server';
import { bench } from '@/server/providers/hypervisor/fake/scenarios/bench';

// The simulated cluster as a process of its own, a share of its guest agents dead. Arguments: nodes, guests, latency in
// milliseconds, percent dead. Answers each line on stdin with the calls in flight at most since the line before.
const [nodes = 8, guests = 1000, latency = 50, percent = 20] = process.argv.slice(2).map(Number);
const simulator = await startSimulator({ scenario: bench(nodes, guests), latency });
const control = simulator.cluster();
const perNode = new Map<string, number>();
let dead = 0;
let agents = 0;
for (const guest of control.state.guests.values()) {
  if (guest.type !== 'qemu' || !guest.isRunning) continue;
  agents += 1;
  if ((agents * percent) % 100 >= percent) continue;
  control.setAgent(guest.vmid, { kind: 'not-running' });
  dead += 1;
  perNode.set(guest.node, (perNode.get(guest.node) ?? 0) + 1);
}
const [first] = control.nodes;
process.stdout.write(
  `${JSON.stringify({ url: first?.url, fingerprint: first?.fingerprint256, token: control.tokens.manager })}\n`,
);
process.stdin.on('data', () => {
  const answer = { loads: control.load.all(), dead, fullest: Math.max(0, ...perNode.values()) };
  control.load.reset();
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
process.on('SIGTERM', () => {
  void simulator.close().then(() => process.exit(0));
});
