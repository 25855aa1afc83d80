import { closeDb } from '@/server/db/client';
import { retainTelemetry } from '@/server/services/flows/retain-telemetry';

// One run of the retention job in a process of its own, as in the worker. Says "ready", begins when told, answers when done.
process.on('message', async () => {
  const started = performance.now();
  const { traffic_flows } = await retainTelemetry();
  process.send?.({ ms: performance.now() - started, deleted: traffic_flows });
  await closeDb();
  process.disconnect();
});
process.send?.('ready');
