'use client';
import { Activity } from 'lucide-react';
import Link from 'next/link';
import type { Flow, FlowListInput } from '@/domain/flow/flow';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { useNow } from '@/ui/use-now';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { FLOW_COLUMNS } from './flow-columns';
import type { FlowView } from './use-flow-view';

type Props = { view: FlowView; range: { since: string; until?: string }; onOpen: (flow: Flow) => void };

/** The flows of the time range, one row each. */
export function FlowTable({ view, range, onOpen }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { ...view.filter, ...range, sort: view.listSort as FlowListInput['sort'] };
  const list = useServerList({
    name: 'flows',
    columns: FLOW_COLUMNS,
    state: { input, sort: view.listSort, setSort: view.setSort, filtered: view.narrowed, clear: view.widen },
    pathKey: trpc.flows.list.pathKey(),
    fetchPage: (page, signal) => client.flows.list.query({ ...input, ...page }, { signal }),
  });
  return (
    <DataTable
      {...list}
      id="flows"
      label="Flows"
      noun={{ one: 'flow', many: 'flows' }}
      queryKey={JSON.stringify([view.filter, view.listSort])}
      rowId={(flow) => flow.id}
      onRowOpen={onOpen}
      empty={<NoFlows until={range.until} />}
    />
  );
}

/** From here on it is likelier that flows were deleted than that there never were any. */
const PAST_MS = 3_600_000;

/** What helps when there is no flow at all: a wider time, or agents that report. */
export function NoFlows({ live = false, until }: { live?: boolean; until?: string }) {
  const now = useNow();
  const past = until !== undefined && now !== null && now - Date.parse(until) > PAST_MS;
  const { can } = usePermissions();
  return (
    <EmptyState
      icon={<Activity />}
      title={live ? 'Nothing yet' : 'No flows in this time'}
      action={
        can('agent:read') && (
          <Link className={buttonClass()} href={paths.agents()}>
            Look at the agents
          </Link>
        )
      }
    >
      {live
        ? 'New flows appear here as agents report them, mostly within half a minute.'
        : past
          ? 'Single flows of that time may be deleted by now: the settings say how long they are kept. The chart and groups reach further back.'
          : 'Choose a longer time. Flows come from the agents on the nodes; without one a node shows none.'}
    </EmptyState>
  );
}
