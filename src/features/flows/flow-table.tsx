'use client';
import { useMemo, useState } from 'react';
import type { EvaluatedFlow, FlowListInput, FlowPage } from '@/domain/flow/flow';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { conversationText } from '../shared/flows/flow-labels';
import { MovingNotice, RetentionNotice } from '../shared/flows/missing-traffic';
import { loadTab } from '../shared/load-tab';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { toFlowSeed } from '../shared/policy-draft/draft-link';
import { expiredRange, hasTotals, isBeforeRetention } from '../shared/time-range';
import { useServerList } from '../shared/use-server-list';
import { flowColumns } from './flow-columns';
import { NoFlows } from './no-flows';
import type { FlowView, Narrowing } from './use-flow-view';

const RangeTotals = loadTab(() => import('./range-totals').then((module) => module.RangeTotals));

type Props = {
  view: FlowView;
  range: { since: string; until?: string };
  onOpen: (flow: EvaluatedFlow) => void;
  onNarrow: (filter: Narrowing) => void;
};

/** The workload whose flows are asked for, where nothing else narrows the list. */
function findAskedWorkload({ workload_id: ids, ...others }: FlowView['flowFilter']): string | null {
  const isNarrowed = Object.values(others).some((value) => value !== undefined);
  return ids && !isNarrowed && !ids.includes(',') ? ids : null;
}

/** The retention, as the first answer reports it. */
type Kept = Pick<FlowPage, 'kept_since' | 'retention_hours' | 'missing_until'>;

/** The flows of the time range, one row each; where it goes beyond the retention, the totals of all of it. */
export function FlowTable({ view, range, onOpen, onNarrow }: Props) {
  const t = useT();
  const columns = useMemo(() => flowColumns(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [kept, setKept] = useState<Kept | null>(null);
  // What has expired is no matter of filters.
  const expired = expiredRange(range.until, kept?.kept_since);
  const isCut = kept !== null && isBeforeRetention(range.since, kept.kept_since) && hasTotals(range.until);
  const askedWorkload = findAskedWorkload(view.flowFilter);
  const input = { ...view.flowFilter, ...range, sort: view.listSort as FlowListInput['sort'] };
  const list = useServerList({
    name: 'flows',
    columns,
    state: {
      input,
      sort: view.listSort,
      setSort: view.setSort,
      filtered: view.narrowed && expired === null && askedWorkload === null,
      clear: view.widen,
    },
    pathKey: trpc.flows.list.pathKey(),
    fetchPage: async (page, signal) => {
      const found = await client.flows.list.query({ ...input, ...page }, { signal });
      const { kept_since, retention_hours, missing_until } = found;
      setKept({ kept_since, retention_hours, missing_until });
      return found;
    },
  });
  const draftMenu = useDraftMenu<EvaluatedFlow>(toFlowSeed, conversationText);
  return (
    <>
      <MovingNotice until={kept?.missing_until} since={range.since} />
      {isCut && <RetentionNotice hours={kept.retention_hours} since={range.since} />}
      {!(isCut && expired) && (
        <DataTable
          {...list}
          id="flows"
          label={t('Flows')}
          noun={{ one: t('flow'), many: t('flows') }}
          queryKey={JSON.stringify([view.flowFilter, view.listSort])}
          rowId={(flow) => flow.id}
          onRowOpen={onOpen}
          {...draftMenu}
          height={isCut ? 'auto' : 'fill'}
          empty={<NoFlows expired={expired} workloadId={askedWorkload} />}
        />
      )}
      {isCut && <RangeTotals view={view} range={range} onNarrow={onNarrow} />}
    </>
  );
}
