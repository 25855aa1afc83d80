'use client';
import { useMemo, useState } from 'react';
import type { Conversation, ConversationListInput, ConversationPage } from '@/domain/flow/conversation';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { expiredRange } from '../shared/time-range';
import { useServerList } from '../shared/use-server-list';
import { conversationColumns } from './conversation-columns';
import { formatConversation, toConversationSeed } from './conversation-end';
import { NoFlows } from './no-flows';
import type { FlowView } from './use-flow-view';

type Props = {
  view: FlowView;
  range: { since: string; until?: string };
  onOpen: (conversation: Conversation) => void;
};

/** The conversations of the time range, one row each, whichever nodes saw them. */
export function ConversationTable({ view, range, onOpen }: Props) {
  const t = useT();
  const columns = useMemo(() => conversationColumns(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [found, setFound] = useState<Pick<ConversationPage, 'kept_since' | 'is_total_capped'> | null>(null);
  const expired = expiredRange(range.until, found?.kept_since);
  const filter = view.filters.filter || undefined;
  const input = {
    ...view.filter,
    ...range,
    q: filter,
    sort: view.conversationSort as ConversationListInput['sort'],
  };
  const narrowed = view.narrowed || filter !== undefined;
  const list = useServerList({
    name: 'conversations',
    columns,
    state: {
      input,
      sort: view.conversationSort,
      setSort: view.setSort,
      filtered: narrowed && expired === null,
      clear: view.widen,
    },
    pathKey: trpc.conversations.list.pathKey(),
    fetchPage: async (page, signal) => {
      const answer = await client.conversations.list.query({ ...input, ...page }, { signal });
      setFound({ kept_since: answer.kept_since, is_total_capped: answer.is_total_capped });
      return answer;
    },
  });
  const draftMenu = useDraftMenu<Conversation>(toConversationSeed, formatConversation);
  return (
    <DataTable
      {...list}
      id="conversations"
      label={t('Conversations')}
      noun={{ one: t('conversation'), many: found?.is_total_capped ? t('conversations or more') : t('conversations') }}
      queryKey={JSON.stringify([view.filter, filter, view.conversationSort])}
      rowId={(conversation) => conversation.id}
      onRowOpen={onOpen}
      {...draftMenu}
      empty={<NoFlows expired={expired} />}
    />
  );
}
