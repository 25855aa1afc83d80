import { findServiceName } from '@/domain/firewall/data/services';
import {
  type Conversation,
  type ConversationEnd,
  type ConversationListInput,
  type ConversationPage,
  MAX_CONVERSATIONS_COUNTED,
} from '@/domain/flow/conversation';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { AppError } from '../../lib/errors';
import type { ConversationRow, ConversationRowEnd } from '../../traffic/storage/flow-rows';
import type { ConversationSelection } from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { ANSWERED_STATE } from '../flows/conversation-verdicts';
import { createFlowVerdictEvaluator, narrowReach, toObservedVerdict, type VerdictFacts } from '../flows/flow-verdicts';
import { type SelectedFlows, selectFlows } from '../flows/list-flows';

type Selected = { selection: ConversationSelection } & Pick<SelectedFlows, 'retentionHours' | 'missingUntil'>;
type Narrowing = FlowFilter & Pick<Partial<ConversationListInput>, 'action'>;

async function selectConversations(
  scope: Scope<'flow:read'>,
  { action, q: _, ...filter }: Omit<Narrowing, 'q'> & { q?: unknown },
  condition?: ConversationListInput['q'],
): Promise<Selected> {
  const { selection, retentionHours, missingUntil, now } = await selectFlows(scope, { ...filter, filter: condition });
  const text = { condition: undefined, resolved: new Map(), now: new Date(now).toISOString() };
  const asked = { ...selection, ...(selection.conversations ?? text), actions: action };
  return { selection: asked, retentionHours, missingUntil };
}

const toEnd = ({ ip, port, workload_id, workload_name, cidr, is_external }: ConversationRowEnd): ConversationEnd => ({
  ...{ ip, port, cidr, external: is_external },
  workload: workload_id === null ? null : { id: workload_id, name: workload_name ?? workload_id },
});

/** The packet that opened a conversation, as the rules at both ends see it. */
export const toOpeningFlow = (row: ConversationRow): VerdictFacts => ({
  source_ip: row.client.ip,
  destination_ip: row.server.ip,
  protocol: row.protocol,
  source_port: row.client.port,
  destination_port: row.server.port,
  decision: row.decision,
  state: row.action === 'allowed' && row.decision === 'observed' ? ANSWERED_STATE : null,
  // Two ephemeral ports name no service: who opened is not known then.
  initiator: row.is_client_known || row.service_port !== null || row.server.port === null ? 'source' : null,
  icmp_type: row.icmp_type,
  icmp_code: row.icmp_code,
  workload_id: row.workload_id,
  nic: row.nic,
  source_workload_id: row.client.workload_id,
  destination_workload_id: row.server.workload_id,
  source_cidr: row.client.cidr,
  destination_cidr: row.server.cidr,
});

const getReason = ({ decision, action }: ConversationRow): Conversation['reason'] => {
  if (decision !== 'observed') return 'logged';
  return action === 'allowed' ? 'replied' : 'not_known';
};

/** Conversations with what the rules say now about the packets that opened them. */
async function evaluateConversations(
  rows: readonly ConversationRow[],
  rules: Scope<'workload:read'> | null,
  tenantId: string | undefined,
): Promise<Conversation[]> {
  const reach = rules && narrowReach(rules.reach, tenantId);
  const evaluate =
    reach && rows.length > 0 ? createFlowVerdictEvaluator(await readFirewallState(), reach) : toObservedVerdict;
  return rows.map((row) => {
    const { protocol, service_port, decision: _decision, is_client_known: _known, is_ended, ...shown } = row;
    const { workload_id: _workload, nic: _nic, client, server, ...rest } = shown;
    return {
      ...rest,
      client: toEnd(client),
      server: toEnd(server),
      service: {
        protocol,
        port: service_port,
        name: service_port === null ? null : findServiceName(protocol, service_port),
      },
      ended_at: is_ended ? row.last_seen_at : null,
      reason: getReason(row),
      ...evaluate(toOpeningFlow(row)),
    };
  });
}

/**
 * One page of the visible conversations that were active in the time range, newest first. Never an expired one.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function listConversations(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  { limit, cursor, sort, q, ...filter }: ConversationListInput,
): Promise<ConversationPage> {
  const { selection, retentionHours, missingUntil } = await selectConversations(scope, filter, q);
  const paging = { limit, ...(cursor !== undefined && { cursor }), ...(sort !== undefined && { sort }) };
  const page = await flowStore().conversations.list(selection, paging);
  return {
    items: await evaluateConversations(page.items, rules, filter.tenant_id),
    next_cursor: page.next_cursor,
    total: Math.min(page.total, MAX_CONVERSATIONS_COUNTED),
    is_total_capped: page.total > MAX_CONVERSATIONS_COUNTED,
    kept_since: selection.cutoff,
    retention_hours: retentionHours,
    missing_until: missingUntil,
  };
}

/**
 * All visible conversations that were active in the time range, in batches; each is in one of them, as it was at the beginning.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function* streamConversations(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  { limit: _, cursor, sort, q, ...filter }: ConversationListInput,
): AsyncGenerator<Conversation[], void, undefined> {
  const { selection } = await selectConversations(scope, filter, q);
  for await (const rows of flowStore().conversations.stream(selection, { cursor, sort })) {
    yield await evaluateConversations(rows, rules, filter.tenant_id);
  }
}

/**
 * A stored conversation as its reader may see it.
 * @throws AppError `not_found`, also for one that is not visible to the reader or has expired
 */
export async function findConversation(scope: Scope<'flow:read'>, id: string): Promise<ConversationRow> {
  const { selection } = await selectConversations(scope, { conversation_id: id });
  const [row] = (await flowStore().conversations.list(selection, { limit: 1 })).items;
  if (!row) throw new AppError('not_found', 'The conversation does not exist, or its retention has ended.');
  return row;
}

/**
 * One conversation.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 * @throws AppError `not_found`, also for one that is not visible to the reader or has expired
 */
export async function readConversation(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  id: string,
): Promise<Conversation> {
  const [conversation] = await evaluateConversations([await findConversation(scope, id)], rules, undefined);
  return conversation as Conversation;
}
