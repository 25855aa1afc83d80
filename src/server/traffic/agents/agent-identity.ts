import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Actor, Origin } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findAgentByTokenHash } from '../queries/agents';
import { takeHeartbeat } from './agent-budget';

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
    throw new AppError('unauthenticated', 'The node token is not valid. Install the agent again to get a new one.');
  }
  const { node_id, cluster_id, node_name, interval_seconds } = found;
  await takeHeartbeat(node_id, interval_seconds);
  return {
    actor: { kind: 'agent', id: node_id, name: `agent of ${node_name}` },
    origin,
    node: { node_id, cluster_id, name: node_name },
  };
}
