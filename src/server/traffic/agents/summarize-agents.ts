import type { AgentSummary, AgentSummaryInput } from '@/domain/agent';
import type { Scope } from '../../auth/scope';
import { countAgents } from '../queries/agent-list';
import { isOutdated, offeredVersion } from './agent-age';

/** How many nodes report, are silent, wait, have no agent, or have an old one; of one cluster when it is given. */
export async function summarizeAgents(
  _scope: Scope<'agent:read'>,
  { cluster_id }: AgentSummaryInput,
): Promise<AgentSummary> {
  const [agent_version, groups] = await Promise.all([offeredVersion(), countAgents(cluster_id)]);
  const summary: AgentSummary = {
    nodes: 0,
    ok: 0,
    degraded: 0,
    silent: 0,
    pending: 0,
    none: 0,
    outdated: 0,
    lacking: 0,
    agent_version,
  };
  for (const group of groups) {
    summary.nodes += group.nodes;
    summary[group.status ?? 'none'] += group.nodes;
    summary.lacking += group.lacking;
    if (isOutdated(group.agent_version, agent_version)) summary.outdated += group.nodes;
  }
  return summary;
}
