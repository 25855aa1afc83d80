import type { EnrolmentAnswer, EnrolmentRequest } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { computeReach } from '@/domain/permissions';
import { findUserWithRoles } from '../../access/queries/users';
import { recordAudit } from '../../audit/record';
import type { OpenScope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import {
  type AgentInUse,
  type EnrolmentRow,
  enrollAgent as enrol,
  findNodeName,
  listEnrollableNodes,
  lockEnrollment,
  lockFormerAgent,
  markEnrollmentUsed,
  type NodeName,
} from '../queries/agent-enrollments';
import { newNodeToken } from './agent-identity';

const AGAIN = 'Create a new install command for the node and run it.';

/** A node whose agent reported within this time gets another token by its own install command only. */
const RECENT_REPORT_MS = 24 * 3_600_000;
/** As for an agent that enrolled but has not reported yet: its first report arrives within a minute. */
const RECENT_ENROLMENT_MS = 3_600_000;

const within = (at: string | null, ms: number, now: string) => at !== null && Date.parse(now) - Date.parse(at) < ms;

/**
 * Whether the token of a node is in use, so that a token for many nodes does not replace it. An installation that was
 * interrupted after its enrollment may run again on the same machine.
 */
export function isInUse(agent: AgentInUse, machineId: string | null, now: string): boolean {
  if (agent.status === 'ok' || agent.status === 'degraded') return true;
  if (within(agent.last_heartbeat_at, RECENT_REPORT_MS, now)) return true;
  return agent.machine_id !== machineId && within(agent.enrolled_at, RECENT_ENROLMENT_MS, now);
}

/** Compares names of one machine: case is ignored, and a fully qualified name equals its first label. */
const isSameName = (a: string, b: string) => {
  const label = (name: string) => name.toLowerCase().split('.', 1)[0];
  return label(a) === label(b);
};

type Creator = { name: string | null; mayInstall: boolean };

/** Who asked for the command, and whether they may still install agents: the token is their right in other hands. */
async function findCreator(tx: Tx, id: string | null, now: string): Promise<Creator> {
  // Created by the service itself, so there is no user whose permissions to check.
  if (id === null) return { name: null, mayInstall: true };
  const found = await findUserWithRoles(tx, id, now);
  return {
    name: found?.user.name ?? null,
    mayInstall: found !== null && computeReach(found.grants, 'agent:install') === 'all',
  };
}

/** The node that a machine of this name is, by its enrollment token. @throws AppError `unauthenticated`, `refused` */
async function resolveNode(tx: Tx, enrolment: EnrolmentRow, name: string): Promise<NodeName> {
  const wrong = (message: string, expected: string) =>
    new AppError('refused', message, { errors: [{ field: 'node_name', message: expected }] });
  if (enrolment.node_id !== null) {
    const node = await findNodeName(tx, enrolment.node_id);
    if (!node) throw new AppError('unauthenticated', `The enrollment token is not valid. ${AGAIN}`);
    if (isSameName(name, node.name)) return node;
    throw wrong(
      `The enrollment token is for the node ${node.name}, but this machine reports the name ${name}. Run the install command of this node, or set FABRIC_NODE_NAME.`,
      `Expected ${node.name}.`,
    );
  }
  const nodes = await listEnrollableNodes(tx, enrolment.cluster_id ?? '', enrolment.node_ids);
  const [node, another] = nodes.filter((one) => isSameName(name, one.name));
  if (node && !another) return node;
  throw wrong(
    `The enrollment token is for ${enrolment.node_ids ? 'selected nodes' : 'nodes of one cluster'}, and ${another ? 'several of them have' : 'none of them has'} the name ${name} that this machine reports. Set FABRIC_NODE_NAME to the name of the node in the cluster, or create a token for this node.`,
    'Expected the name of a node that the token is for.',
  );
}

/**
 * Exchanges an enrollment token for the node's own token, which is in this answer only. The former token of the node no longer works.
 * A token for many nodes does not replace a token that is in use.
 * @throws AppError `unauthenticated` for an unknown token, `gone` for one that was used up, expired or revoked or whose creator may not
 * install agents any more, `refused` for a machine with the name of another node, `conflict` for a node whose token is in use
 */
export function enrollAgent(scope: OpenScope, request: EnrolmentRequest): Promise<EnrolmentAnswer> {
  const now = clock.now().toISOString();
  return db.transaction(async (tx) => {
    const enrolment = await lockEnrollment(tx, hashToken(request.enrolment_token));
    if (!enrolment) throw new AppError('unauthenticated', `The enrollment token is not valid. ${AGAIN}`);
    if (enrolment.revoked_at !== null) throw new AppError('gone', `The enrollment token was revoked. ${AGAIN}`);
    // A use that an older version of the service noted is its time only.
    if (enrolment.uses >= enrolment.max_uses || (enrolment.max_uses === 1 && enrolment.used_at !== null)) {
      const used = enrolment.max_uses === 1 ? 'was already used' : `was already used ${enrolment.max_uses} times`;
      throw new AppError('gone', `The enrollment token ${used}. ${AGAIN}`);
    }
    if (enrolment.expires_at <= now) throw new AppError('gone', `The enrollment token has expired. ${AGAIN}`);
    const creator = await findCreator(tx, enrolment.created_by, now);
    if (!creator.mayInstall) {
      throw new AppError(
        'gone',
        `The user who created the enrollment token is no longer permitted to install agents. ${AGAIN}`,
      );
    }
    const node = await resolveNode(tx, enrolment, request.node_name);
    const node_token = newNodeToken();
    const { machine_id, agent_version } = request;
    const before = await lockFormerAgent(tx, node.id);
    if (enrolment.node_id === null && before && isInUse(before, machine_id, now)) {
      throw new AppError(
        'conflict',
        `The agent of ${node.name} already has a token that is in use. An enrollment token for many nodes does not replace it. To reinstall the agent, use the install command of this node.`,
      );
    }
    await markEnrollmentUsed(tx, enrolment.id, { node_id: node.id, node_name: node.name, machine_id, at: now });
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
