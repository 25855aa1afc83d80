import type { Agent, AgentListInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { findAgentVersions, listAgents as list } from '../queries/agent-list';
import { flowStore } from '../storage/flow-store';
import { isOutdated, offeredVersion } from './agent-age';

const NO_FLOWS = { waiting: 0, refused: 0 };

/** Nodes with their agents, page by page. */
export async function listAgents(_scope: Scope<'agent:read'>, input: AgentListInput): Promise<Page<Agent>> {
  const offered = await offeredVersion();
  const versions = input.outdated === undefined ? [] : await findAgentVersions();
  const page = await list(
    input,
    versions.filter((version) => isOutdated(version, offered)),
  );
  const unconfirmed = await flowStore().unconfirmed.countByNode(page.items.map(({ node_id }) => node_id));
  return {
    ...page,
    items: page.items.map((agent) => ({
      ...agent,
      unconfirmed: unconfirmed.get(agent.node_id) ?? NO_FLOWS,
      outdated: isOutdated(agent.agent_version, offered),
    })),
  };
}
