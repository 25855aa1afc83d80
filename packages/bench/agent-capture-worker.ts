// Captures as the agent does until stopped, also for its heartbeats: node agent-capture-worker.cjs <ebpf|ring>. A line on
// standard input stops it; it then prints what it counted as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { Capture } from '../../agent/src/capture/capture';
import { EbpfCapture } from '../../agent/src/capture/ebpf/collector';
import { InterfaceWatch } from '../../agent/src/capture/interface-watch';
import { RingCapture } from '../../agent/src/capture/ring/collector';

/** The interval of heartbeats: first short, until V8 has compiled what reads flows; then the default of the agent. */
const HEARTBEAT_MILLISECONDS = { warmUp: 4000, steady: 30_000 } as const;
const WARM_UP_HEARTBEATS = 5;

const way = process.argv[2] === 'ring' ? () => new RingCapture() : () => new EbpfCapture();
const capture = new Capture(Date.now, new InterfaceWatch(), [way]);
capture.start();
void (async () => {
  for (let beat = 0; ; beat += 1) {
    await sleep(beat < WARM_UP_HEARTBEATS ? HEARTBEAT_MILLISECONDS.warmUp : HEARTBEAT_MILLISECONDS.steady);
    await capture.drain();
    capture.snapshot();
    capture.startInterval();
  }
})();
process.stdout.write(`ready on ${capture.interfaces}\n`);
process.stdin.once('data', async () => {
  await sleep(200);
  await capture.drain();
  const table = capture.snapshot()?.table;
  if (!table) throw new Error('no capture');
  const totals = { packets: 0, bytes: 0, flows: 0 };
  for (let row = 0; row < table.size; row += 1) {
    if (!table.isFromGuest(row)) continue;
    totals.flows += 1;
    totals.packets += table.packets[row] as number;
    totals.bytes += table.bytes[row] as number;
  }
  const { counts, detail } = capture.state();
  process.stdout.write(`${JSON.stringify({ ...totals, counts, detail })}\n`);
  await capture.stop();
  process.exit(0);
});
