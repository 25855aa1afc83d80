import { processState } from './process-state';

/** The time as the services see it. Tests replace `now`; nothing else calls `new Date()` for decisions. */
export const clock = processState(() => ({
  now: (): Date => new Date(),
}));
