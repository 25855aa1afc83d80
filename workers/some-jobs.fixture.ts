import { closeQueues } from '@/server/jobs/queues';
import { idleProcessors } from './idle-processors.fixture';
import { type JobProcessors, processors } from './processors';
import { startWorkers } from './runtime';

// A worker process that does only the jobs that it is started with, for the tests to kill.
const jobs = process.argv.slice(2) as (keyof JobProcessors)[];
const chosen = Object.fromEntries(jobs.map((name) => [name, processors[name]]));
const runtime = await startWorkers({ ...idleProcessors, ...chosen }, { graceMs: 100 });
process.stdout.write('ready\n');
process.on('SIGTERM', () => {
  void runtime
    .close()
    .then(() => closeQueues())
    .then(() => process.exit(0));
});
