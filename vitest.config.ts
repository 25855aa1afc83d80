import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const exclude = [...configDefaults.exclude, '.next/**', '.data/**', 'e2e/**'];

export default defineConfig({
  resolve: {
    alias: [{ find: /^@\//, replacement: `${path('./src')}/` }],
  },
  test: {
    // Many tests wait for programs, timers and a simulated network: two at a time, also on a machine with two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,workers,agent,scripts,packages}/**/*.test.{ts,tsx}'],
          exclude: [...exclude, '**/*.int.test.ts'],
          setupFiles: ['./src/test/setup-unit.ts'],
          isolate: false,
          // Many of them talk to the simulator over TLS; on a machine that is busy otherwise five seconds are short.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: ['{src,workers,agent,scripts,packages}/**/*.int.test.ts'],
          exclude,
          globalSetup: ['./src/test/global-setup-int.ts'],
          setupFiles: ['./src/test/setup-int.ts'],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
