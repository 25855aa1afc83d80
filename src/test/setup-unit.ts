import { afterAll, vi } from 'vitest';
import { forgetProcessState } from '@/server/lib/process-state';

process.env.LOG_LEVEL ??= 'silent';
process.env.FABRIC_SECRET_KEY = 'test-secret-key-test-secret-key-test-secret';
// Files share a process and its modules, one after another. Each begins with the state of a new process.
forgetProcessState();
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
