import { runImport } from './run-import';

// A worker that takes an import over and stops in the middle of writing, for a test to kill. Argument: the import's id.
await runImport(process.argv[2] ?? '', {
  signal: new AbortController().signal,
  onBatch: async (written) => {
    if (written === 0) return;
    process.stdout.write('half\n');
    await new Promise(() => setInterval(() => {}, 1000));
  },
});
