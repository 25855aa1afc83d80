import { closeQueues } from '@/server/jobs/queues';
import { idleProcessors } from '../idle-processors.fixture';
import { startWorkers } from '../runtime';
import { applyPolicy } from './apply-policy';
import { cleanUpPolicy } from './clean-up-policy';

// A worker process that does nothing but deployments, for the tests to kill.
const runtime = await startWorkers(
  { ...idleProcessors, 'policy.apply': applyPolicy, 'policy.cleanup': cleanUpPolicy },
  { graceMs: 100 },
);
process.stdout.write('ready\n');
process.on('SIGTERM', () => {
  void runtime
    .close()
    .then(() => closeQueues())
    .then(() => process.exit(0));
});
