import { afterAll, vi } from 'vitest';
import { forgetProcessState } from '@/server/lib/process-state';
import { createFileDatabase } from './database';
import { closeConnections } from './fresh-process';

// Files share a process and its modules, one after another. Each begins with the environment and the state of a new process.
const ENVIRONMENT = Symbol.for('fabric.environment of the first test file');
const first: NodeJS.ProcessEnv = Reflect.get(globalThis, ENVIRONMENT) ?? { ...process.env };
Reflect.set(globalThis, ENVIRONMENT, first);
for (const name of Object.keys(process.env)) if (!(name in first)) delete process.env[name];
Object.assign(process.env, first);

process.env.FABRIC_SECRET_KEY = 'test-secret-key-test-secret-key-test-secret';
// Simulated clusters and other stand-ins listen on loopback.
process.env.FABRIC_ALLOW_PRIVATE_TARGETS = '127.0.0.0/8';
process.env.LOG_LEVEL ??= 'silent';
await createFileDatabase();
// A password costs a tenth of a second of a processor. `sign-in.int.test.ts` has the real cost, as programs do that tests start.
const { PASSWORD_COST } = await import('@/server/access/sign-in/passwords');
Object.assign(PASSWORD_COST, { memoryCost: 1_024, timeCost: 1 });
// Last, when the environment is complete.
forgetProcessState();
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await closeConnections();
});
