import { idleProcessors } from './idle-processors.fixture';
import { startWorkers } from './runtime';

// A worker process for the tests to kill: it says which job it took and never finishes it.
const options = JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof startWorkers>[1];
await startWorkers(
  {
    ...idleProcessors,
    'cluster.sync': ({ cluster_id }) => {
      process.stdout.write(`took ${cluster_id}\n`);
      return new Promise(() => {});
    },
  },
  options,
);
