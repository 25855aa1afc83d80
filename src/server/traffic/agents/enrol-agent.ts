import type { EnrolmentAnswer, EnrolmentRequest } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { reachOf } from '@/domain/permissions';
import { findUserWithRoles } from '../../access/queries/users';
import { recordAudit } from '../../audit/record';
import type { OpenScope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { enrolAgent as enrol, lockEnrolment, lockFormerAgent, markEnrolmentUsed } from '../queries/agent-enrolments';
import { newNodeToken } from './agent-identity';

const AGAIN = 'Create a new install command for the node and run it.';

/** Names of one machine: case does not count, and a fully qualified name stands for its first label. */
const sameName = (a: string, b: string) => {
  const label = (name: string) => name.toLowerCase().split('.', 1)[0];
  return label(a) === label(b);
};

type Creator = { name: string | null; mayInstall: boolean };

/** Who asked for the command, and whether they may still install agents: the token is their right in other hands. */
async function creatorOf(tx: Tx, id: string | null, now: string): Promise<Creator> {
  // Made by the service itself: nobody's right stands behind it.
  if (id === null) return { name: null, mayInstall: true };
  const found = await findUserWithRoles(tx, id, now);
  return {
    name: found?.user.name ?? null,
    mayInstall: found !== null && reachOf(found.grants, 'agent:install') === 'all',
  };
}

/**
 * Exchanges a one-time enrolment token for the node's own token, which is told once. The node's token before, if there
 * was one, is worth nothing from then on.
 * @throws AppError `unauthenticated` for a token that never was, `gone` for one that was used or expired or whose creator may not
 * install agents any more, `refused` when it was made for a node of another name
 */
export function enrolAgent(scope: OpenScope, request: EnrolmentRequest): Promise<EnrolmentAnswer> {
  const now = clock.now().toISOString();
  return db.transaction(async (tx) => {
    const found = await lockEnrolment(tx, hashToken(request.enrolment_token));
    if (!found) throw new AppError('unauthenticated', `The enrollment token is not valid. ${AGAIN}`);
    const { enrolment, node } = found;
    if (enrolment.used_at !== null) throw new AppError('gone', `The enrollment token was already used. ${AGAIN}`);
    if (enrolment.expires_at <= now) throw new AppError('gone', `The enrollment token has expired. ${AGAIN}`);
    const creator = await creatorOf(tx, enrolment.created_by, now);
    if (!creator.mayInstall) {
      throw new AppError(
        'gone',
        `The user who created the enrollment token is no longer permitted to install agents. ${AGAIN}`,
      );
    }
    if (!sameName(request.node_name, node.name)) {
      throw new AppError(
        'refused',
        `The enrollment token is for the node ${node.name}, but this machine reports the name ${request.node_name}. Run the install command of this node, or set FABRIC_NODE_NAME.`,
        { errors: [{ field: 'node_name', message: `Expected ${node.name}.` }] },
      );
    }
    const node_token = newNodeToken();
    const { machine_id, agent_version } = request;
    await markEnrolmentUsed(tx, enrolment.id, now);
    const before = await lockFormerAgent(tx, node.id);
    const replacement = before?.reports
      ? {
          at: now,
          enrolment_id: enrolment.id,
          user_id: enrolment.created_by,
          user_name: creator.name,
          last_heartbeat_at: before.last_heartbeat_at,
          machine_id,
          previous_machine_id: before.machine_id,
        }
      : null;
    await enrol(
      tx,
      { node_id: node.id, token_hash: hashToken(node_token), machine_id, agent_version },
      replacement,
      now,
    );
    await publishEvent(tx, { type: 'inventory.changed', cluster_id: node.cluster_id });
    const actor = { kind: 'agent' as const, id: node.id, name: `agent of ${node.name}` };
    await recordAudit(
      tx,
      { actor, origin: scope.origin },
      {
        action: 'agent.enrolled',
        object_kind: 'node',
        object_id: node.id,
        object_name: node.name,
        before: before && { machine_id: before.machine_id, reported: before.reports },
        after: {
          enrolment_id: enrolment.id,
          machine_id,
          agent_version,
          replaced_reporting_agent: replacement !== null,
        },
      },
    );
    return { node_token, node_id: node.id, interval_seconds: AGENT_LIMITS.interval_seconds.default };
  });
}
