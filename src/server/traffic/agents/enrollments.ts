import type { AgentEnrollmentCreated, AgentEnrollmentInput } from '@/domain/agent';
import { ENROLLMENT_LIMITS } from '@/domain/choices';
import { MINUTE_MS } from '@/domain/durations';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound, refuseField } from '../../lib/refusals';
import * as repository from '../queries/agent-enrollments';
import { requireAgentBundle } from './agent-bundle';
import { isInUse } from './enroll-agent';
import { installCommand, newEnrollmentToken } from './install';

/** How many of the nodes that a token is for it can enroll now. @throws AppError `refused` for a node that is not in the cluster */
async function countEnrollable(tx: Tx, { cluster_id, node_ids }: AgentEnrollmentInput, now: string): Promise<number> {
  const nodes = await repository.listEnrollableNodes(tx, cluster_id, node_ids ?? null);
  if (node_ids && nodes.length < new Set(node_ids).size)
    throw refuseField('node_ids', 'Every node must be in the cluster. Remove the others.');
  return nodes.filter(({ agent }) => agent === null || !isInUse(agent, null, now)).length;
}

/**
 * A token by which many nodes of a cluster enroll, and the command that uses it. Only its hash is kept.
 * @param baseUrl address of the service as the caller reached it, without trailing slash
 * @throws AppError `not_found`, `refused`; `conflict` when every node has a token in use; `unavailable` when the agent was not built
 */
export async function createEnrollment(
  scope: Scope<'agent:install'>,
  input: AgentEnrollmentInput,
  baseUrl: string,
): Promise<AgentEnrollmentCreated> {
  await requireAgentBundle();
  const enrolment_token = newEnrollmentToken();
  const at = clock.now();
  const now = at.toISOString();
  const { cluster_id, description } = input;
  return db.transaction(async (tx) => {
    const cluster = await repository.findClusterName(tx, cluster_id);
    if (!cluster) throw notFound('cluster');
    const enrollable = await countEnrollable(tx, input, now);
    // A token for nodes that join the cluster later says how many.
    if (enrollable === 0 && (input.node_ids || input.max_uses === undefined))
      throw new AppError(
        'conflict',
        'Every one of these nodes has an agent token in use, which a token for many nodes does not replace. Reinstall an agent with the install command of its node.',
      );
    const row = {
      id: newId(),
      cluster_id,
      node_ids: input.node_ids ? [...new Set(input.node_ids)] : null,
      description,
      max_uses: input.max_uses ?? Math.min(enrollable, ENROLLMENT_LIMITS.uses),
      created_by: scope.actor.id,
      created_by_name: scope.actor.name,
      created_at: now,
      expires_at: new Date(at.getTime() + input.expires_in_minutes * MINUTE_MS).toISOString(),
    };
    await repository.insertEnrollment(tx, { ...row, token_hash: hashToken(enrolment_token) });
    await recordAudit(tx, scope, {
      action: 'agent.enrollment_created',
      object_kind: 'agent_enrollment',
      object_id: row.id,
      object_name: description || cluster.name,
      after: {
        cluster_id,
        cluster_name: cluster.name,
        node_ids: row.node_ids,
        max_uses: row.max_uses,
        expires_at: row.expires_at,
      },
    });
    return {
      ...row,
      cluster_name: cluster.name,
      state: 'active' as const,
      uses: 0,
      enrolled: [],
      used_at: null,
      revoked_at: null,
      revoked_by_name: null,
      base_url: baseUrl,
      enrolment_token,
      command: installCommand(baseUrl, { FABRIC_ENROLMENT_TOKEN: enrolment_token }),
    };
  });
}

/** Ends an enrollment token. Nodes that enrolled with it keep their own tokens. @throws AppError `not_found`, `gone` */
export function revokeEnrollment(scope: Scope<'agent:install'>, id: string): Promise<void> {
  const now = clock.now().toISOString();
  return db.transaction(async (tx) => {
    const found = await repository.lockEnrollmentById(tx, id, now);
    if (!found) throw notFound('enrollment token');
    if (found.state !== 'active')
      throw new AppError('gone', 'The enrollment token does not work any more, so there is nothing to revoke.');
    await repository.revokeEnrollment(tx, id, { at: now, name: scope.actor.name });
    await recordAudit(tx, scope, {
      action: 'agent.enrollment_revoked',
      object_kind: 'agent_enrollment',
      object_id: id,
      object_name: found.description || found.cluster_name,
      before: { cluster_name: found.cluster_name, uses: found.uses, max_uses: found.max_uses },
    });
  });
}
