import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const exclude = [...configDefaults.exclude, '.next/**', '.data/**', 'e2e/**'];

/** The files that take longest, in that order; `npm test` prints which they are. */
const LONGEST = [
  'clickhouse/flow-store-contract.int',
  'runtime/supervisor.int',
  'cli/backup-command.int',
  'backup/backup.int',
  'isolation/projects.int',
  'isolation/non-interference.int',
  'isolation/isolation.int',
  'workers/sync-cluster.int',
  'api/access.int',
  'cli/accounts-and-keys.int',
  'agents/visibility.int',
  'agent/src/agent.int',
  'capture/capture.int',
  'demo/demo.int',
  'workers/runtime.int',
  'agents/strange-heartbeats.int',
  'guest/reconcile-guest-crash',
  'guest/reconcile-guest',
  'cases/connection',
  'runtime/service-environment',
  'openapi/api-document',
  'demo/traffic/traffic',
];

/** They begin first, so that no worker ends alone with one. Vitest knows the times only where the tests ran before: not in CI. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const getRank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.includes(`${name}.test.`));
      return place < 0 ? LONGEST.length : place;
    };
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => getRank(a) - getRank(b)),
    );
  }
}

export default defineConfig({
  resolve: {
    alias: [{ find: /^@\//, replacement: `${path('./src')}/` }],
  },
  test: {
    // Many tests wait for programs, timers and a simulated network: two at a time, also on a machine with two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Room for what lives shortly: four percent less work than with V8's own 16 MB, most of which is collected in vain.
    execArgv: ['--max-semi-space-size=64'],
    // Keeps transformed modules by content: the integration tests reuse those of the unit tests, the next run those of both.
    experimental: { fsModuleCache: true },
    // How soon something ends or comes is not what these tests are about: limits only end what hangs, and no test has its own.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,workers,agent,scripts,packages}/**/*.test.{ts,tsx}'],
          exclude: [...exclude, '**/*.int.test.ts'],
          setupFiles: ['./src/test/setup-unit.ts'],
          isolate: false,
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
          // They wait for PostgreSQL, programs and timers for a quarter of their time.
          maxWorkers: Math.max(3, availableParallelism() - 1),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
