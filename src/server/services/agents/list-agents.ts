import type { Agent, AgentListInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { listAgents as list } from '../../repositories/agent-list';

/** Nodes with their agents, page by page. */
export function listAgents(_scope: Scope<'agent:read'>, input: AgentListInput): Promise<Page<Agent>> {
  return list(input);
}
