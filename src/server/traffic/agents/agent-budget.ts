import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { chargeBudget, takeFromBudget } from '../../auth/queries/rate-limits';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';

/** Flows that count as one heartbeat: an agent sends a quarter of that at most. */
const FLOWS_OF_ONE = 4 * AGENT_LIMITS.flows_per_heartbeat;

const keyOf = (nodeId: string) => `agent:${nodeId}`;

/** Milliseconds after which an agent may send one more heartbeat. */
const emissionOf = (intervalSeconds: number | null): number => {
  const { minimum, default: usual } = AGENT_LIMITS.interval_seconds;
  return (Math.max(intervalSeconds ?? usual, minimum) * 1000) / AGENT_LIMITS.heartbeats_per_interval;
};

/**
 * Takes a heartbeat from the budget of an agent, which grows with its interval. Counted before the body is read.
 * @throws AppError `too_many_requests` with the time to wait
 */
export async function takeHeartbeat(nodeId: string, intervalSeconds: number | null): Promise<void> {
  const budget = { emissionMs: emissionOf(intervalSeconds), burst: AGENT_LIMITS.heartbeat_burst };
  const wait = await takeFromBudget(db, keyOf(nodeId), budget, clock.now());
  if (wait === 0) return;
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  throw new AppError(
    'too_many_requests',
    `The agent of this node sends more than ${AGENT_LIMITS.heartbeats_per_interval} heartbeats per interval. Send the next one in ${seconds} seconds.`,
    { retryAfterSeconds: seconds },
  );
}

/** Charges a heartbeat with more flows than agents send as several. */
export async function chargeFlows(nodeId: string, intervalSeconds: number, flows: number): Promise<void> {
  const more = Math.ceil(flows / FLOWS_OF_ONE) - 1;
  if (more > 0) await chargeBudget(db, keyOf(nodeId), more * emissionOf(intervalSeconds), clock.now());
}
