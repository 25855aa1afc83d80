'use client';
import { Activity } from 'lucide-react';
import Link from 'next/link';
import { useMemo } from 'react';
import type { Flow, FlowListInput } from '@/domain/flow/flow';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { useNow } from '@/ui/use-now';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { flowColumns } from './flow-columns';
import type { FlowView } from './use-flow-view';

type Props = { view: FlowView; range: { since: string; until?: string }; onOpen: (flow: Flow) => void };

/** The flows of the time range, one row each. */
export function FlowTable({ view, range, onOpen }: Props) {
  const t = useT();
  const columns = useMemo(() => flowColumns(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { ...view.filter, ...range, sort: view.listSort as FlowListInput['sort'] };
  const list = useServerList({
    name: 'flows',
    columns,
    state: { input, sort: view.listSort, setSort: view.setSort, filtered: view.narrowed, clear: view.widen },
    pathKey: trpc.flows.list.pathKey(),
    fetchPage: (page, signal) => client.flows.list.query({ ...input, ...page }, { signal }),
  });
  return (
    <DataTable
      {...list}
      id="flows"
      label={t('Flows')}
      noun={{ one: t('flow'), many: t('flows') }}
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
  const t = useT();
  const now = useNow();
  const past = until !== undefined && now !== null && now - Date.parse(until) > PAST_MS;
  const { can } = usePermissions();
  return (
    <EmptyState
      icon={<Activity />}
      title={live ? t('Nothing yet') : t('No flows in this time')}
      action={
        can('agent:read') && (
          <Link className={buttonClass()} href={paths.agents()}>
            {t('Look at the agents')}
          </Link>
        )
      }
    >
      {live
        ? t('New flows appear here as agents report them, mostly within half a minute.')
        : past
          ? t(
              'Single flows of that time may be deleted by now: the settings say how long they are kept. The chart and groups reach further back.',
            )
          : t('Choose a longer time. Flows come from the agents on the nodes; without one a node shows none.')}
    </EmptyState>
  );
}
