'use client';
import { Activity } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { CONVERSATION_SORTS } from '@/domain/choices';
import type { Conversation } from '@/domain/flow/conversation';
import type { InsightsOverview } from '@/domain/insights';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { ConversationTable } from '../shared/conversations/conversation-table';
import { formatTrafficFilter } from './traffic-filter';
import type { TrafficView } from './use-traffic-view';

const ConversationDrawer = loadOnOpening(() =>
  import('../shared/conversations/conversation-drawer').then((module) => module.ConversationDrawer),
);

type Props = { view: TrafficView; workload: InsightsOverview['workload'] };

/** The workload's conversations in the selected time range. */
export function TrafficConversations({ view, workload }: Props) {
  const t = useT();
  const router = useRouter();
  const [opened, setOpened] = useState<Conversation | null>(null);
  const { asked, mode, narrowing, sort } = view;
  const { since, until } = asked;
  const range = { since, ...(until && { until }) };
  const text = formatTrafficFilter(workload, mode, {});
  const sortBy = CONVERSATION_SORTS.some((name) => name === sort.replace('-', '')) ? sort : '-last_seen_at';
  return (
    <>
      <ConversationTable
        // Without a view, also what was seen at its interfaces of ends that are not known.
        asked={{ workload_id: asked.id, ...narrowing, q: mode === 'all' ? undefined : text }}
        range={range}
        sort={sortBy}
        setSort={view.setSort}
        narrowed={Object.keys(narrowing).length > 0}
        clear={view.widen}
        onOpen={setOpened}
        height="auto"
        renderEmpty={(expired) => (
          <EmptyState
            icon={<Activity />}
            title={expired ? t('Conversations in this time range expired') : t('No conversations in this time range')}
          >
            {expired
              ? t('Conversations are available since {time}. The chart covers a longer period.', {
                  time: formatDateTime(expired),
                })
              : t('Select a longer time range or all traffic. Nodes without an agent report nothing.')}
          </EmptyState>
        )}
      />
      <ConversationDrawer
        conversation={opened}
        filter={text}
        range={range}
        onClose={() => setOpened(null)}
        onFilter={(filter) => router.push(paths.flows({ filter, ...view.time }))}
      />
    </>
  );
}
