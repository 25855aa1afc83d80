import type { AgentDetail } from '@/domain/agent';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { findAgentDetail } from '../queries/agent-list';
import { isOutdated, offeredVersion } from './agent-age';

const DAY_MS = 86_400_000;

/** The agent of a node with its newest heartbeat. @throws AppError `not_found` */
export async function readAgent(_scope: Scope<'agent:read'>, nodeId: string): Promise<AgentDetail> {
  const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
  const [offered, agent] = await Promise.all([offeredVersion(), findAgentDetail(nodeId, since)]);
  if (!agent) throw notFound('node');
  return { ...agent, outdated: isOutdated(agent.agent_version, offered) };
}
