'use client';
import { type ReactNode, useMemo, useState } from 'react';
import type { z } from 'zod';
import type { Conversation, ConversationListInput, ConversationPage } from '@/domain/flow/conversation';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { MovingNotice } from '../flows/missing-traffic';
import { useDraftMenu } from '../policy-draft/draft-actions';
import { expiredRange } from '../time-range';
import { useServerList } from '../use-server-list';
import { conversationColumns } from './conversation-columns';
import { formatConversation, toConversationSeed } from './conversation-end';

type Props = {
  /** What the service is asked for, with the filter as text. */
  asked: Omit<z.input<typeof ConversationListInput>, 'limit' | 'cursor' | 'sort' | 'since' | 'until'>;
  range: { since: string; until?: string | undefined };
  sort: string;
  setSort: (sort: string) => void;
  /** Whether something narrows the list down, and how that is removed. */
  narrowed: boolean;
  clear: () => void;
  onOpen: (conversation: Conversation) => void;
  /** Shown for an empty list. */
  renderEmpty: (expired: string | null) => ReactNode;
  height?: 'fill' | 'auto';
};

/** The conversations of a time range, one row each, whichever nodes saw them. */
export function ConversationTable({
  asked,
  range,
  sort,
  setSort,
  narrowed,
  clear,
  onOpen,
  renderEmpty,
  height,
}: Props) {
  const t = useT();
  const columns = useMemo(() => conversationColumns(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [found, setFound] = useState<Omit<ConversationPage, 'items'> | null>(null);
  const expired = expiredRange(range.until, found?.kept_since);
  const input = { ...asked, ...range, sort: sort as ConversationListInput['sort'] };
  const list = useServerList({
    name: 'conversations',
    columns,
    state: { input, sort, setSort, filtered: narrowed && expired === null, clear },
    pathKey: trpc.conversations.list.pathKey(),
    fetchPage: async (page, signal) => {
      const answer = await client.conversations.list.query({ ...input, ...page }, { signal });
      const { items: _, ...facts } = answer;
      setFound(facts);
      return answer;
    },
  });
  const draftMenu = useDraftMenu<Conversation>(toConversationSeed, formatConversation);
  return (
    <>
      <MovingNotice until={found?.missing_until} since={range.since} />
      <DataTable
        {...list}
        id="conversations"
        label={t('Conversations')}
        noun={{
          one: t('conversation'),
          many: found?.is_total_capped ? t('conversations or more') : t('conversations'),
        }}
        queryKey={JSON.stringify([asked, sort])}
        rowId={(conversation) => conversation.id}
        onRowOpen={onOpen}
        {...draftMenu}
        {...(height && { height })}
        empty={renderEmpty(expired)}
      />
    </>
  );
}
