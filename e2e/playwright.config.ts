import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** The one without windows first: the same engine, for two thirds of the processor time. */
const chromium = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
].find((path) => path && existsSync(path));

/**
 * The suite runs the production build in embedded mode and a simulated cluster. Each worker starts both for itself, so that
 * specs of different workers cannot disturb each other; those of one share an installation, as people do.
 */
export default defineConfig<object, { start: 'lab' | 'empty' | 'demo' }>({
  testDir: './specs',
  testMatch: '**/*.e2e.ts',
  outputDir: '../test-results/e2e',
  globalSetup: './global-setup.ts',
  // One more than processors of a small machine: a quarter of the time, tests wait for timers and for answers.
  workers: 3,
  fullyParallel: false,
  retries: 0,
  // How soon something ends or comes is not what these tests are about: limits only end what hangs, and no test has its own.
  timeout: 1_200_000,
  expect: { timeout: 240_000, toPass: { timeout: 240_000 } },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    // A trace of every test would cost a quarter of the time; `--trace on` records the one that failed.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    // One demo for all of them, as starting it and its flows take long. The tour comes first and sees it start. Then the everyday tasks
    // from the dashboard on, with the number of clicks as an upper bound; last the drift, which is reported after a minute.
    { name: 'demo', testMatch: ['**/demo-tour.e2e.ts', '**/tasks-*.e2e.ts'], workers: 1, use: { start: 'demo' } },
    { name: 'first-run', testMatch: '**/first-run.e2e.ts', use: { start: 'empty' } },
    { name: 'everyday', testIgnore: ['**/demo-tour.e2e.ts', '**/tasks-*.e2e.ts', '**/first-run.e2e.ts'] },
  ],
});
