import type { AgentDetail } from '@/domain/agent';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { findAgentDetail } from '../queries/agent-list';
import { flowStore } from '../storage/flow-store';
import { isOutdated, offeredVersion } from './agent-age';

const DAY_MS = 86_400_000;

/** The agent of a node with its newest heartbeat. @throws AppError `not_found` */
export async function readAgent(_scope: Scope<'agent:read'>, nodeId: string): Promise<AgentDetail> {
  const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
  const { unconfirmed } = flowStore();
  const [offered, agent, counts, unconfirmed_guests] = await Promise.all([
    offeredVersion(),
    findAgentDetail(nodeId, since),
    unconfirmed.countByNode([nodeId]),
    unconfirmed.guestsOf(nodeId),
  ]);
  if (!agent) throw notFound('node');
  return {
    ...agent,
    unconfirmed: counts.get(nodeId) ?? { waiting: 0, refused: 0 },
    unconfirmed_guests,
    outdated: isOutdated(agent.agent_version, offered),
  };
}
