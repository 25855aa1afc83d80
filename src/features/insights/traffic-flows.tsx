'use client';
import { Activity } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { InsightFlow } from '@/domain/insights';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { conversationText } from '../shared/flows/flow-labels';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { toFlowSeed } from '../shared/policy-draft/draft-link';
import { expiredRange } from '../shared/time-range';
import { useServerList } from '../shared/use-server-list';
import { trafficColumns } from './traffic-columns';
import type { TrafficView } from './use-traffic-view';

const ContextDrawer = loadOnOpening(() => import('./context-drawer').then((module) => module.ContextDrawer));

/** Every flow of the workload in the selected time range, each with what decides it. */
export function TrafficFlows({ view }: { view: TrafficView }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [opened, setOpened] = useState<InsightFlow | null>(null);
  const columns = useMemo(() => trafficColumns(t), [t]);
  const { asked, narrowing, flowSort: sort } = view;
  const input = { ...asked, ...narrowing, sort, include_flow_context: true as const };
  const [keptSince, setKeptSince] = useState<string | null>(null);
  const expired = expiredRange(asked.until, keptSince);
  const list = useServerList<InsightFlow>({
    name: 'flows',
    columns,
    state: {
      input,
      sort,
      setSort: view.setSort,
      filtered: Object.keys(narrowing).length > 0 && expired === null,
      clear: view.widen,
    },
    pathKey: trpc.insights.flows.pathKey(),
    fetchPage: async (page, signal) => {
      const found = await client.insights.flows.query({ ...input, ...page }, { signal });
      setKeptSince(found.kept_since);
      return found;
    },
  });
  const draftMenu = useDraftMenu<InsightFlow>(toFlowSeed, conversationText);
  return (
    <>
      <DataTable
        {...list}
        id="workload-flows"
        label={t('Workload flows')}
        noun={{ one: t('flow'), many: t('flows') }}
        queryKey={JSON.stringify([narrowing, view.mode, sort])}
        rowId={(flow) => flow.id}
        onRowOpen={setOpened}
        {...draftMenu}
        height="auto"
        empty={
          <EmptyState
            icon={<Activity />}
            title={expired ? t('Flows in this time range expired') : t('No flows in this time range')}
          >
            {expired
              ? t('Individual flows are available since {time}. The chart covers a longer period.', {
                  time: formatDateTime(expired),
                })
              : t('Select a longer time range or all traffic. Nodes without an agent report no flows.')}
          </EmptyState>
        }
      />
      <ContextDrawer flow={opened} onClose={() => setOpened(null)} />
    </>
  );
}
