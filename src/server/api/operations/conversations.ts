import { Conversation, ConversationListInput, ConversationPage } from '@/domain/flow/conversation';
import { ConversationWhy } from '@/domain/flow/conversation-why';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import {
  listConversations,
  readConversation,
  streamConversations,
} from '../../insight/conversations/list-conversations';
import { readWhy } from '../../insight/conversations/read-why';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Flows');
const access = { permission: 'flow:read' } as const;

/** Rules of workloads decide conversations, so they are shown only to users who may see workloads. */
const authorizeRules = (session: Session) => authorizeIfGranted(session, 'workload:read');

/** Fields of the CSV file. */
const CSV = [
  'id',
  'cluster_name',
  'client_ip',
  'client_port',
  'client_workload_name',
  'server_ip',
  'server_port',
  'server_workload_name',
  'protocol',
  'service_port',
  'service_name',
  'bytes',
  'packets',
  'client_bytes',
  'client_packets',
  'server_bytes',
  'server_packets',
  'first_seen_at',
  'last_seen_at',
  'ended_at',
  'duration_ms',
  'action',
  'reason',
  'rules_say',
  'rules_reason',
  'nodes',
] as const;

const toCsvRow = ({ client, server, service, rules_say, nodes, ...row }: Conversation) => ({
  ...row,
  ...{ client_ip: client.ip, client_port: client.port, client_workload_name: client.workload?.name ?? null },
  ...{ server_ip: server.ip, server_port: server.port, server_workload_name: server.workload?.name ?? null },
  ...{ protocol: service.protocol, service_port: service.port, service_name: service.name },
  rules_say: rules_say?.action ?? null,
  rules_reason: rules_say?.explanation ?? null,
  nodes: nodes.map(({ id, name }) => name ?? id).join(' '),
});

export const conversationsRouter = router({
  list: query({
    rest: 'GET /conversations',
    summary:
      'List conversations (both directions, each packet once) that were active in a time range, newest first. q is a condition such as client = group:web and bytes > 1GB. format=csv returns all as a file.',
    access,
    input: ConversationListInput,
    output: ConversationPage,
    run: ({ scope, session, input }) => listConversations(scope, authorizeRules(session), input),
    csv: {
      name: 'conversations',
      columns: CSV,
      batches: async function* ({ scope, session, input }) {
        for await (const found of streamConversations(scope, authorizeRules(session), input)) yield found.map(toCsvRow);
      },
    },
  }),
  read: query({
    rest: 'GET /conversations/{conversation_id}',
    summary: 'Get one conversation. GET /flows?conversation_id= has its flows.',
    access,
    output: Conversation,
    run: ({ scope, session, params }) => readConversation(scope, authorizeRules(session), params.conversation_id),
  }),
  why: query({
    rest: 'GET /conversations/{conversation_id}/why',
    summary:
      'Explain a conversation: which rule of which version decided when it began, what would decide now, and the events in between that touched its ends.',
    access,
    output: ConversationWhy,
    run: ({ scope, session, params }) => readWhy(scope, session, params.conversation_id),
  }),
});
