import {
  AgentDetail,
  AgentEnrollmentCreated,
  AgentEnrollmentInput,
  AgentEnrollmentListInput,
  AgentEnrollmentPage,
  AgentInstall,
  AgentInstallInfo,
  AgentInstallInput,
  AgentListInput,
  AgentPage,
  AgentSummaryInput,
  UnconfirmedFlowInput,
  UnconfirmedFlowPage,
} from '@/domain/agent';
import { NodeVisibility, VisibilityInput } from '@/domain/impact/evidence';
import { clock } from '../../lib/clock';
import { listAgents, readAgent, summarizeAgents } from '../../traffic/agents/agents';
import { createEnrollment, revokeEnrollment } from '../../traffic/agents/enrollments';
import { createInstall, readInstallInfo } from '../../traffic/agents/install';
import { readNodeVisibility } from '../../traffic/agents/read-confidence';
import { listEnrollments } from '../../traffic/queries/agent-enrollments';
import { flowStore } from '../../traffic/storage/flow-store';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Agents');

export const agentsRouter = router({
  list: query({
    rest: 'GET /agents',
    summary: 'List nodes with their agents. status=none returns nodes without an agent.',
    access: { permission: 'agent:read' },
    input: AgentListInput,
    output: AgentPage,
    run: ({ scope, input }) => listAgents(scope, input),
  }),
  get: query({
    rest: 'GET /agents/{node_id}',
    summary: 'Get the agent of a node with its latest heartbeat.',
    access: { permission: 'agent:read' },
    output: AgentDetail,
    run: ({ scope, params }) => readAgent(scope, params.node_id),
  }),
  visibility: query({
    rest: 'GET /nodes/{node_id}/visibility',
    summary:
      'Get how far the evidence about the traffic of a node reaches: a level, a score, and what is missing and why.',
    access: { permission: 'agent:read' },
    input: VisibilityInput,
    output: NodeVisibility,
    run: ({ scope, params, input }) => readNodeVisibility(scope, params.node_id, input),
  }),
  unconfirmed: query({
    rest: 'GET /unconfirmed-flows',
    summary: 'List flows of workloads that the inventory places on other nodes: waiting for confirmation, or rejected.',
    access: { permission: 'agent:read' },
    input: UnconfirmedFlowInput,
    output: UnconfirmedFlowPage,
    run: ({ input }) => flowStore().unconfirmed.list(input),
  }),
  install: mutation({
    rest: 'POST /agents/install',
    summary:
      'Create the command that installs the agent on a node. Its enrollment token works once and expires after one hour.',
    access: { permission: 'agent:install' },
    input: AgentInstallInput,
    output: AgentInstall,
    status: 201,
    run: ({ scope, input, baseUrl }) => createInstall(scope, input, baseUrl()),
  }),
  enrollments: query({
    rest: 'GET /agents/enrollments',
    summary: 'List enrollment tokens for many nodes, newest first. They are kept for one week after they expire.',
    access: { permission: 'agent:install' },
    input: AgentEnrollmentListInput,
    output: AgentEnrollmentPage,
    run: ({ input }) => listEnrollments(input, clock.now().toISOString()),
  }),
  createEnrollment: mutation({
    rest: 'POST /agents/enrollments',
    summary:
      'Create an enrollment token for many nodes of a cluster. It does not replace a node token that is in use. The token is shown only in this response.',
    access: { permission: 'agent:install' },
    input: AgentEnrollmentInput,
    output: AgentEnrollmentCreated,
    status: 201,
    problems: ['conflict'],
    run: ({ scope, input, baseUrl }) => createEnrollment(scope, input, baseUrl()),
  }),
  revokeEnrollment: mutation({
    rest: 'DELETE /agents/enrollments/{enrollment_id}',
    summary: 'Revoke an enrollment token. Nodes that enrolled with it keep their own tokens.',
    access: { permission: 'agent:install' },
    problems: ['gone'],
    run: ({ scope, params }) => revokeEnrollment(scope, params.enrollment_id),
  }),
  installInfo: query({
    rest: 'GET /agents/install-info',
    summary: 'Get the addresses, files and requirements for the installation of the agent.',
    access: { signedIn: 'The installer is public, and its requirements are not secret.' },
    output: AgentInstallInfo,
    run: ({ baseUrl }) => readInstallInfo(baseUrl()),
  }),
  summary: query({
    access: { permission: 'agent:read' },
    input: AgentSummaryInput,
    run: ({ scope, input }) => summarizeAgents(scope, input),
  }),
});
