import type { Agent, AgentListInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { findAgentVersions, listAgents as list } from '../queries/agent-list';
import { isOutdated, offeredVersion } from './agent-age';

/** Nodes with their agents, page by page. */
export async function listAgents(_scope: Scope<'agent:read'>, input: AgentListInput): Promise<Page<Agent>> {
  const offered = await offeredVersion();
  const versions = input.outdated === undefined ? [] : await findAgentVersions();
  const page = await list(
    input,
    versions.filter((version) => isOutdated(version, offered)),
  );
  return {
    ...page,
    items: page.items.map((agent) => ({ ...agent, outdated: isOutdated(agent.agent_version, offered) })),
  };
}
