import { vi } from 'vitest';
import { closeDb } from '@/server/db/client';
import { closeEventHub } from '@/server/events/event-hub';
import { closeQueues } from '@/server/jobs/queues';
import { forgetProcessState } from '@/server/lib/process-state';

/** Closes the connections of this process. */
export async function closeConnections(): Promise<void> {
  await closeEventHub();
  await closeQueues().catch(() => {});
  await closeDb();
}

/** Continues as a process that just started, with these variables: tests of stores need no own modules. */
export async function startFreshProcess(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  await closeConnections();
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  forgetProcessState();
}
