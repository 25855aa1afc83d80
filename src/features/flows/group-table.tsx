'use client';
import { useMemo, useState } from 'react';
import type { FlowGroup, FlowGrouping, FlowGroupsInput } from '@/domain/flow/flow-sums';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { toGroupSeed } from '../shared/policy-draft/draft-link';
import { expiredRange } from '../shared/time-range';
import { useServerList } from '../shared/use-server-list';
import { groupColumns, groupText } from './group-columns';
import { narrowToGroup } from './narrow-to-group';
import { NoFlows } from './no-flows';
import type { FlowView, Narrowing } from './use-flow-view';

type Props = {
  view: FlowView;
  range: { since: string; until?: string };
  grouping: FlowGrouping;
  onNarrow: (filter: Narrowing) => void;
  height?: 'fill' | 'auto';
};

/** Groupings of which a policy could be drafted. */
const HAS_ENDS: readonly FlowGrouping[] = ['workloads', 'source', 'destination', 'service'];

/** Traffic of the time range summed up; a row leads to what is behind it. */
export function GroupTable({ view, range, grouping, onNarrow, height = 'fill' }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const ofConversations = Boolean(view.filters.filter);
  const columns = useMemo(() => groupColumns(t, ofConversations)[grouping], [t, grouping, ofConversations]);
  const input = { ...view.flowFilter, ...range, group_by: grouping, sort: view.groupSort as FlowGroupsInput['sort'] };
  const [keptSince, setKeptSince] = useState<string | null>(null);
  const expired = expiredRange(range.until, keptSince);
  const list = useServerList({
    name: `flows-by-${grouping}`,
    columns,
    state: {
      input,
      sort: view.groupSort,
      setSort: view.setSort,
      filtered: view.narrowed && expired === null,
      clear: view.widen,
    },
    pathKey: trpc.flows.groups.pathKey(),
    fetchPage: async (page, signal) => {
      const found = await client.flows.groups.query({ ...input, ...page }, { signal });
      setKeptSince(found.kept_since);
      return found;
    },
  });
  const draftMenu = useDraftMenu(
    (group: FlowGroup) => toGroupSeed(group, view.filter),
    (group) => groupText(t, group),
  );
  return (
    <DataTable
      {...list}
      key={grouping}
      id={`flow-groups-${grouping}`}
      label={t('Grouped flows')}
      noun={{ one: t('group'), many: t('groups') }}
      queryKey={JSON.stringify([view.flowFilter, view.groupSort])}
      rowId={(group) => group.id}
      {...(HAS_ENDS.includes(grouping) && draftMenu)}
      onRowOpen={(group) => onNarrow(narrowToGroup(grouping, group))}
      height={height}
      empty={<NoFlows expired={expired} totals />}
    />
  );
}
