import {
  DraftImpactInput,
  Impact,
  ImpactAgainInput,
  type ImpactConversation,
  ImpactConversationInput,
  ImpactConversationPage,
  PolicyImpactInput,
} from '@/domain/impact/impact';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import { readImpact, readImpactConversations } from '../../enforcement/impact/read-impact';
import { requestDraftImpact, requestImpactAgain, requestPolicyImpact } from '../../enforcement/impact/request-impact';
import { operations, Waiting } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Impact');
const access = { permission: 'policy:read' } as const;

/** What the caller sees of an impact. */
export const impactReader = (session: Session): ImpactReader => ({
  policies: authorizeIfGranted(session, 'policy:read')?.reach ?? [],
  tests: authorizeIfGranted(session, 'policy_test:read')?.reach ?? null,
  flows: authorizeIfGranted(session, 'flow:read')?.reach ?? null,
});
const getCallReader = ({ session }: { session: Session }) => impactReader(session);

const CSV = [
  'outcome',
  'unknown_reason',
  'client_workload_name',
  'client_prefix',
  'client_tenant_name',
  'client_project_name',
  'server_workload_name',
  'server_prefix',
  'server_tenant_name',
  'server_project_name',
  'protocol',
  'port',
  'bytes',
  'packets',
  'flows',
  'last_seen_at',
  'before',
  'before_reason',
  'after',
  'after_reason',
] as const;
const endColumns = (name: string, { workload, prefix, tenant, project }: ImpactConversation['client']) => ({
  [`${name}_workload_name`]: workload?.name ?? null,
  [`${name}_prefix`]: prefix,
  [`${name}_tenant_name`]: tenant?.name ?? null,
  [`${name}_project_name`]: project?.name ?? null,
});
const csvRow = ({ client, server, before, after, ...row }: ImpactConversation) => ({
  ...row,
  ...endColumns('client', client),
  ...endColumns('server', server),
  before: before?.action ?? null,
  before_reason: before?.explanation ?? null,
  after: after?.action ?? null,
  after_reason: after?.explanation ?? null,
});

export const impactsRouter = router({
  ofDraft: mutation({
    rest: 'POST /policy-drafts/impact',
    summary:
      'Compute what applying a policy that is not stored would do to connections. The work continues in the background unless wait=true. The same question has the same impact.',
    access,
    input: DraftImpactInput,
    output: Impact,
    status: 202,
    problems: ['refused'],
    run: (call) => requestDraftImpact(call.scope, getCallReader(call), call.input, { wait: false }),
    respond: {
      query: Waiting,
      finished: Impact,
      answer: async (call, { wait }, { signal }) =>
        toImpactResponse(
          await requestDraftImpact(call.scope, getCallReader(call), call.input, { wait: wait === 'true', signal }),
        ),
    },
  }),
  ofPolicy: mutation({
    rest: 'POST /policies/{policy_id}/impact',
    summary:
      'Compute what applying a policy, with changes that are not saved, would do to connections; with enabled=false or in audit mode, what removing it would do.',
    access,
    input: PolicyImpactInput,
    output: Impact,
    status: 202,
    problems: ['refused'],
    bodyOptional: true,
    run: (call) =>
      requestPolicyImpact(call.scope, getCallReader(call), call.params.policy_id, call.input, { wait: false }),
    respond: {
      query: Waiting,
      finished: Impact,
      answer: async (call, { wait }, { signal }) => {
        const waiting = { wait: wait === 'true', signal };
        return toImpactResponse(
          await requestPolicyImpact(call.scope, getCallReader(call), call.params.policy_id, call.input, waiting),
        );
      },
    },
  }),
  again: mutation({
    rest: 'POST /impacts/{impact_id}/again',
    summary: 'Compute the impact of the same change again, on what is live now. Returns another impact.',
    access,
    input: ImpactAgainInput,
    output: Impact,
    status: 202,
    problems: ['refused'],
    bodyOptional: true,
    run: (call) => requestImpactAgain(getCallReader(call), call.params.impact_id, call.input, { wait: false }),
    respond: {
      query: Waiting,
      finished: Impact,
      answer: async (call, { wait }, { signal }) =>
        toImpactResponse(
          await requestImpactAgain(getCallReader(call), call.params.impact_id, call.input, {
            wait: wait === 'true',
            signal,
          }),
        ),
    },
  }),
  get: query({
    rest: 'GET /impacts/{impact_id}',
    summary: 'Get one impact; while it is computed, what was found so far.',
    access,
    output: Impact,
    run: (call) => readImpact(getCallReader(call), call.params.impact_id),
  }),
  conversations: query({
    rest: 'GET /impacts/{impact_id}/conversations',
    summary: 'List the conversations of an impact, the most harmful first. format=csv returns all of them as a file.',
    access,
    input: ImpactConversationInput,
    output: ImpactConversationPage,
    csv: {
      name: 'impact',
      columns: CSV,
      rows: async (call, page) => {
        const found = await readImpactConversations(getCallReader(call), call.params.impact_id, {
          ...call.input,
          ...page,
        });
        return { ...found, items: found.items.map(csvRow) };
      },
    },
    run: (call) => readImpactConversations(getCallReader(call), call.params.impact_id, call.input),
  }),
});

/** 202 while work continues, 200 with the result. */
export function toImpactResponse(impact: Impact) {
  return impact.status === 'running'
    ? impact
    : Response.json(impact, { status: 200, headers: { 'cache-control': 'no-store' } });
}
