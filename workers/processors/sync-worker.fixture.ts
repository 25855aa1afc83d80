import { closeQueues } from '@/server/jobs/queues';
import { idleProcessors } from '../idle-processors.fixture';
import { startWorkers } from '../runtime';
import { syncCluster } from './sync-cluster';

// A worker process that does nothing but syncs, for the tests to kill.
const runtime = await startWorkers(
  {
    ...idleProcessors,
    'cluster.sync': syncCluster,
  },
  { graceMs: 100 },
);
process.stdout.write('ready\n');
process.on('SIGTERM', () => {
  void runtime
    .close()
    .then(() => closeQueues())
    .then(() => process.exit(0));
});
