'use client';
import type { InsightsOverview } from '@/domain/insights';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { FilterBar } from '@/ui/filter-bar';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { SegmentedControl } from '@/ui/segmented-control';
import { addressFilter, PORT_FILTER, PROTOCOL_FILTER } from '../shared/flows/flow-filter-fields';
import { useFilterFields } from '../shared/list/use-filter-fields';
import { loadTab } from '../shared/load-tab';
import { TrafficConversations } from './traffic-conversations';
import { formatTrafficFilter } from './traffic-filter';
import type { TrafficView } from './use-traffic-view';

const TrafficFlows = loadTab(() => import('./traffic-flows').then((module) => module.TrafficFlows));

const FILTERS = { address: addressFilter(msg('Address')), protocol: PROTOCOL_FILTER, port: PORT_FILTER };

type Props = { view: TrafficView; workload: InsightsOverview['workload'] | undefined };

/** What the workload sent and received, conversation by conversation or flow by flow. */
export function TrafficList({ view, workload }: Props) {
  const t = useT();
  const { showsFlows, filters } = view;
  const fields = useFilterFields(FILTERS, { filters, setFilters: view.narrow });
  return (
    <Section
      title={showsFlows ? t('Flows') : t('Conversations')}
      description={
        showsFlows
          ? t('Each flow is one direction of a conversation. Open a flow to see which rule matched, and why.')
          : t('Each row is both directions of one connection, counted once.')
      }
      actions={
        workload && (
          <Link
            className={buttonClass({ size: 'sm' })}
            href={paths.flows({ filter: formatTrafficFilter(workload, view.mode, view.narrowing), ...view.time })}
          >
            {t('Show in Flows')}
          </Link>
        )
      }
      bare
    >
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t('Show')}
          value={showsFlows ? 'flows' : 'conversations'}
          onValueChange={(value) => view.setFilter('view', value === 'flows' ? 'flows' : null)}
          options={[
            { value: 'conversations', label: t('Conversations') },
            { value: 'flows', label: t('Flows') },
          ]}
        />
        <FilterBar fields={fields} onClear={view.widen} />
      </div>
      {showsFlows ? (
        <TrafficFlows view={view} />
      ) : workload ? (
        <TrafficConversations view={view} workload={workload} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Section>
  );
}
