'use client';
import { Radio, ShieldX } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { FLOW_GROUPINGS } from '@/domain/choices';
import type { Conversation } from '@/domain/flow/conversation';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { ChoiceMenu } from '@/ui/choice-menu';
import { useCommands } from '@/ui/command-registry';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import { ConversationTable } from '../shared/conversations/conversation-table';
import { conversationsPath } from '../shared/flows/conversations-path';
import { GROUPING_LABELS } from '../shared/flows/flow-labels';
import { loadTab } from '../shared/load-tab';
import { LIVE_SPAN, resolveRange } from '../shared/time-range';
import { TimeRangeControl } from '../shared/time-range-control';
import { useRefresh } from '../shared/use-timers';
import { CopyLinkMenu } from './copy-link-menu';
import { FlowChart } from './flow-chart';
import { NoFlows } from './no-flows';
import { RefreshControl } from './refresh-control';
import { type FlowView, type Narrowing, useFlowView } from './use-flow-view';

const FlowFilters = loadTab(() => import('./flow-filters').then((module) => module.FlowFilters), 'h-8');
const FlowTable = loadTab(() => import('./flow-table').then((module) => module.FlowTable));
const ConversationFilters = loadTab(
  () => import('./conversation-filters').then((module) => module.ConversationFilters),
  'h-18',
);
const ConversationDrawer = loadOnOpening(() =>
  import('../shared/conversations/conversation-drawer').then((module) => module.ConversationDrawer),
);
const GroupTable = loadTab(() => import('./group-table').then((module) => module.GroupTable));
const LiveTable = loadTab(() => import('./live-table').then((module) => module.LiveTable));
const FlowDrawer = loadOnOpening(() => import('./flow-drawer').then((module) => module.FlowDrawer));

/** While flows are followed the chart comes along, but a bar is a minute wide. */
const LIVE_CHART_MS = 10_000;

function useFlowCommands() {
  const t = useT();
  const router = useRouter();
  useCommands(
    useMemo(() => {
      const group = t('Flows');
      return [
        {
          id: 'flows.live',
          label: t('Follow flows live'),
          group,
          icon: <Radio />,
          run: () => router.push(paths.flows({ live: true })),
        },
        {
          id: 'flows.denied',
          label: t('Show denied flows'),
          group,
          keywords: [t('dropped'), t('rejected')],
          icon: <ShieldX />,
          run: () => router.push(conversationsPath({ actions: ['dropped', 'rejected'] })),
        },
      ];
    }, [router, t]),
  );
}

/** What a row of the list is. */
function getRowText({ filters, showsFlows }: FlowView): string {
  if (filters.group === 'node')
    return msg('Each row is the traffic reported by one node. Totals count each conversation once.');
  if (filters.group) {
    return showsFlows ? msg('Open a row to see its flows.') : msg('Open a row to see its conversations.');
  }
  return showsFlows
    ? msg("Each row is one node's report. Totals count each conversation once.")
    : msg('Each row is both directions of one connection, counted once.');
}

/** What travels through the networks of the guests: over time, one by one, summed up, or as it comes. */
export function FlowExplorer() {
  const t = useT();
  const view = useFlowView();
  useFlowCommands();
  const { filters } = view;
  const live = filters.live === true;
  const { now, refresh } = useRefresh(live ? LIVE_CHART_MS : filters.refresh ? Number(filters.refresh) * 1000 : null);
  const range = resolveRange(live ? { range: LIVE_SPAN, since: null, until: null } : filters, now);
  const reversed = range.until !== undefined && range.since >= range.until;
  const [opened, setOpened] = useState<EvaluatedFlow | null>(null);
  const [conversation, setConversation] = useState<Conversation | null>(null);
  const { showsFlows } = view;
  const narrow = (filter: Narrowing) => {
    setOpened(null);
    view.setFilters({ ...filter, group: null } as Parameters<FlowView['setFilters']>[0]);
  };
  return (
    <>
      <PageHeader
        title={t('Flows')}
        actions={
          <>
            <CopyLinkMenu range={range} />
            {!live && <RefreshControl view={view} now={now} refresh={refresh} />}
            {!live && (
              <TimeRangeControl
                {...filters}
                onChange={(time) =>
                  view.setFilters({
                    ...time,
                    live: null,
                    ...((time.since ?? time.until) !== null && { refresh: null }),
                  })
                }
              />
            )}
            <Button
              variant={live ? 'primary' : 'secondary'}
              icon={<Radio size={14} />}
              aria-pressed={live}
              onClick={() =>
                view.setFilters({ live: live ? null : true, group: null, since: null, until: null, refresh: null })
              }
            >
              {/* Other languages have another word for flows that are followed than for rules that are enforced. */}
              {t('{what, select, flows {Live} other {Live}}', { what: 'flows' })}
            </Button>
          </>
        }
      />
      {!live && (
        <div className="flex flex-wrap items-center gap-2">
          <SegmentedControl
            label={t('Show')}
            value={showsFlows ? 'flows' : 'conversations'}
            onValueChange={(value) =>
              value === 'flows'
                ? view.setFilters({ view: 'flows' })
                : view.setFilters({ view: null, conversation_id: null, q: null } as Parameters<
                    FlowView['setFilters']
                  >[0])
            }
            options={[
              { value: 'conversations', label: t('Conversations') },
              { value: 'flows', label: t('Flows') },
            ]}
          />
          <ChoiceMenu
            label={t('Group by')}
            options={[
              { value: 'none', label: t('None') },
              ...FLOW_GROUPINGS.map((value) => ({ value, label: t(GROUPING_LABELS[value]) })),
            ]}
            value={filters.group ?? 'none'}
            onValueChange={(value) => view.setFilter('group', value === 'none' ? null : value)}
          />
          <p className="text-muted">{t(getRowText(view))}</p>
          <Link className="link" href={paths.flowEstimates()}>
            {t('Estimates of sampled traffic')}
          </Link>
        </div>
      )}
      {showsFlows ? <FlowFilters view={view} /> : <ConversationFilters view={view} />}
      {reversed ? (
        <Notice
          tone="warn"
          title={t('The time range ends before it begins')}
          action={
            <Button size="sm" onClick={() => view.setFilters({ since: null, until: null })}>
              {t('Show last hour')}
            </Button>
          }
        />
      ) : (
        <FlowChart view={view} range={range} />
      )}
      {reversed ? null : live ? (
        <LiveTable view={view} onOpen={setOpened} />
      ) : filters.group ? (
        <GroupTable view={view} range={range} grouping={filters.group} onNarrow={narrow} />
      ) : !showsFlows ? (
        <ConversationTable
          asked={{ ...view.filter, q: filters.filter || undefined }}
          range={range}
          sort={view.conversationSort}
          setSort={view.setSort}
          narrowed={view.narrowed}
          clear={view.widen}
          onOpen={setConversation}
          renderEmpty={(expired) => <NoFlows expired={expired} />}
        />
      ) : (
        <FlowTable view={view} range={range} onOpen={setOpened} onNarrow={narrow} />
      )}
      <ConversationDrawer
        conversation={conversation}
        filter={filters.filter ?? ''}
        range={range}
        onClose={() => setConversation(null)}
        onFilter={(filter) => {
          setConversation(null);
          view.setFilters({ filter });
        }}
      />
      <FlowDrawer flow={opened} onClose={() => setOpened(null)} onNarrow={narrow} />
    </>
  );
}
