import { JOBS } from '@/server/jobs/definitions';
import type { JobProcessors } from './processors';

/** Processors that do nothing, for tests that are about some of the jobs. */
export const idleProcessors = Object.fromEntries(
  Object.keys(JOBS).map((name) => [name, async () => {}]),
) as unknown as JobProcessors;
