import {
  AgentDetail,
  AgentInstall,
  AgentInstallInfo,
  AgentInstallInput,
  AgentListInput,
  AgentPage,
  AgentSummaryInput,
  UnconfirmedFlowInput,
  UnconfirmedFlowPage,
} from '@/domain/agent';
import { listAgents, listUnconfirmedFlows, readAgent, summarizeAgents } from '../../traffic/agents/agents';
import { createInstall, readInstallInfo } from '../../traffic/agents/install';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Agents');

export const agentsRouter = router({
  list: query({
    rest: 'GET /agents',
    summary: 'Nodes with their agents. status=none finds nodes without one.',
    access: { permission: 'agent:read' },
    input: AgentListInput,
    output: AgentPage,
    run: ({ scope, input }) => listAgents(scope, input),
  }),
  get: query({
    rest: 'GET /agents/{node_id}',
    summary: 'The agent of a node, with its newest heartbeat.',
    access: { permission: 'agent:read' },
    output: AgentDetail,
    run: ({ scope, params }) => readAgent(scope, params.node_id),
  }),
  unconfirmed: query({
    rest: 'GET /unconfirmed-flows',
    summary: 'Flows about guests that the inventory places on other nodes: waiting for confirmation, or refused.',
    access: { permission: 'agent:read' },
    input: UnconfirmedFlowInput,
    output: UnconfirmedFlowPage,
    run: ({ scope, input }) => listUnconfirmedFlows(scope, input),
  }),
  install: mutation({
    rest: 'POST /agents/install',
    summary: 'The command that installs the agent on a node, with an enrolment token that works once, within an hour.',
    access: { permission: 'agent:install' },
    input: AgentInstallInput,
    output: AgentInstall,
    status: 201,
    run: ({ scope, input, baseUrl }) => createInstall(scope, input, baseUrl()),
  }),
  installInfo: query({
    rest: 'GET /agents/install-info',
    summary: 'How the agent is installed: addresses, files and requirements.',
    access: { signedIn: 'The installer itself is public; what it needs is no secret.' },
    output: AgentInstallInfo,
    run: ({ baseUrl }) => readInstallInfo(baseUrl()),
  }),
  summary: query({
    access: { permission: 'agent:read' },
    input: AgentSummaryInput,
    run: ({ scope, input }) => summarizeAgents(scope, input),
  }),
});
