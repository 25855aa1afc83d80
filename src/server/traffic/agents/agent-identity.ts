import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { chargeBudget, takeFromBudget } from '../../auth/queries/rate-limits';
import type { Actor, Origin } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findAgentByTokenHash } from '../queries/agents';

/** Flows that count as one heartbeat: an agent sends a quarter of that at most. */
const FLOWS_OF_ONE = 4 * AGENT_LIMITS.flows_per_heartbeat;

const toBudgetKey = (nodeId: string) => `agent:${nodeId}`;

/** Milliseconds after which an agent may send one more heartbeat. */
const computeEmissionInterval = (intervalSeconds: number | null): number => {
  const { minimum, default: usual } = AGENT_LIMITS.interval_seconds;
  return (Math.max(intervalSeconds ?? usual, minimum) * 1000) / AGENT_LIMITS.heartbeats_per_interval;
};

/**
 * Takes a heartbeat from the budget of an agent, which grows with its interval. Counted before the body is read.
 * @throws AppError `too_many_requests` with the time to wait
 */
export async function consumeHeartbeat(nodeId: string, intervalSeconds: number | null): Promise<void> {
  const budget = { emissionMs: computeEmissionInterval(intervalSeconds), burst: AGENT_LIMITS.heartbeat_burst };
  const wait = await takeFromBudget(db, toBudgetKey(nodeId), budget, clock.now());
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
  if (more > 0)
    await chargeBudget(db, toBudgetKey(nodeId), more * computeEmissionInterval(intervalSeconds), clock.now());
}

const PREFIX = 'fabric_node_';

/** A new token of a node: shown once, kept as `hashToken(token)`. */
export const newNodeToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** The agent that calls: it may report for its own node only. */
export type AgentScope = {
  readonly actor: Actor;
  readonly origin: Origin;
  readonly node: { readonly node_id: string; readonly cluster_id: string; readonly name: string };
};

/**
 * The agent behind `Authorization: Bearer <node token>`. Each call takes a heartbeat from its budget.
 * @throws AppError `unauthenticated`, `too_many_requests`
 */
export async function readAgent(request: Request, origin: Origin): Promise<AgentScope> {
  const header = request.headers.get('authorization') ?? '';
  const token = /^Bearer (fabric_node_[A-Za-z0-9_-]{43})$/i.exec(header)?.[1];
  const hash = token ? hashToken(token) : null;
  const found = hash === null ? null : await findAgentByTokenHash(db, hash);
  // The index compares hashes, which tells an attacker nothing about tokens; the last word is in constant time all the same.
  if (!found || hash === null || !timingSafeEqual(Buffer.from(found.token_hash), Buffer.from(hash))) {
    throw new AppError('unauthenticated', 'The node token is not valid. Reinstall the agent to get a new token.');
  }
  const { node_id, cluster_id, node_name, interval_seconds } = found;
  await consumeHeartbeat(node_id, interval_seconds);
  return {
    actor: { kind: 'agent', id: node_id, name: `agent of ${node_name}` },
    origin,
    node: { node_id, cluster_id, name: node_name },
  };
}
