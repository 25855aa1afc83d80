import { z } from 'zod';
import { AgentInstallInput, AgentListInput, AgentSummaryInput, UnconfirmedFlowInput } from '@/domain/agent';
import { createInstall } from '../../services/agents/create-install';
import { listAgents } from '../../services/agents/list-agents';
import { listUnconfirmedFlows } from '../../services/agents/list-unconfirmed-flows';
import { readAgent } from '../../services/agents/read-agent';
import { summarizeAgents } from '../../services/agents/summarize-agents';
import { procedure, router } from '../trpc';

export const agentsRouter = router({
  list: procedure('agent:read')
    .input(AgentListInput)
    .query(({ ctx, input }) => listAgents(ctx.scope, input)),
  summary: procedure('agent:read')
    .input(AgentSummaryInput)
    .query(({ ctx, input }) => summarizeAgents(ctx.scope, input)),
  get: procedure('agent:read')
    .input(z.strictObject({ node_id: z.uuid() }))
    .query(({ ctx, input }) => readAgent(ctx.scope, input.node_id)),
  unconfirmed: procedure('agent:read')
    .input(UnconfirmedFlowInput)
    .query(({ ctx, input }) => listUnconfirmedFlows(ctx.scope, input)),
  install: procedure('agent:install')
    .input(AgentInstallInput)
    .mutation(({ ctx, input }) => createInstall(ctx.scope, input, ctx.baseUrl())),
});
