import { z } from 'zod';
import { AgentListInput } from '@/domain/agent';
import { listAgents } from '../../services/agents/list-agents';
import { readAgent } from '../../services/agents/read-agent';
import { procedure, router } from '../trpc';

export const agentsRouter = router({
  list: procedure('agent:read')
    .input(AgentListInput)
    .query(({ ctx, input }) => listAgents(ctx.scope, input)),
  get: procedure('agent:read')
    .input(z.strictObject({ node_id: z.uuid() }))
    .query(({ ctx, input }) => readAgent(ctx.scope, input.node_id)),
});
