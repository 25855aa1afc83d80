import { afterAll } from 'vitest';
import { closeEventHub } from '@/server/events/event-hub';
import { closeQueues } from '@/server/jobs/queues';
import { forgetProcessState } from '@/server/lib/process-state';
import { giveFileItsDatabase } from './database';

// Files share a process and its modules, one after another. Each begins with the environment and the state of a new process.
const ENVIRONMENT = Symbol.for('environment of the first file');
const first = (Reflect.get(globalThis, ENVIRONMENT) as NodeJS.ProcessEnv | undefined) ?? { ...process.env };
Reflect.set(globalThis, ENVIRONMENT, first);
for (const name of Object.keys(process.env)) if (!(name in first)) delete process.env[name];
Object.assign(process.env, first);

process.env.FABRIC_SECRET_KEY = 'test-secret-key-test-secret-key-test-secret';
process.env.LOG_LEVEL ??= 'silent';
forgetProcessState();
await giveFileItsDatabase();
afterAll(async () => {
  await closeEventHub();
  await closeQueues().catch(() => {});
});
