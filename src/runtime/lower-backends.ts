import { getPriority, setPriority } from 'node:os';
import { HEAVY_APPLICATION } from '@/server/db/client';
import { logger } from '@/server/lib/logger';
import { listBackendPids } from '@/server/operation/queries/database';

/** Connections are opened at any time; those that live for seconds matter. */
const LOOK_MS = 500;

/**
 * Gives the processes of a database on this machine that run heavy statements a lower priority, while heavy requests are answered.
 * @returns what to call for each request
 */
export function lowerBackendPriority(niceness: number): () => void {
  let isLooking = false;
  const look = async () => {
    const pids = await listBackendPids(HEAVY_APPLICATION);
    for (const pid of pids) {
      try {
        if (getPriority(pid) < niceness) setPriority(pid, niceness);
      } catch (error) {
        // The process has ended, or belongs to another user.
        logger.debug({ err: error, pid }, 'cannot lower the priority of a connection');
      }
    }
  };
  return () => {
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      isLooking = false;
      look().catch((error: unknown) => logger.debug({ err: error }, 'cannot lower the priority of connections'));
    }, LOOK_MS).unref();
  };
}
