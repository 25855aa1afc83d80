'use client';
import { Activity } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FlowListInput, JudgedFlow } from '@/domain/flow/flow';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { expiredRange } from '../shared/time-range';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { flowColumns } from './flow-columns';
import type { FlowView } from './use-flow-view';

type Props = { view: FlowView; range: { since: string; until?: string }; onOpen: (flow: JudgedFlow) => void };

/** The flows of the time range, one row each. */
export function FlowTable({ view, range, onOpen }: Props) {
  const t = useT();
  const columns = useMemo(() => flowColumns(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [keptSince, setKeptSince] = useState<string | null>(null);
  // What has expired is no matter of filters.
  const expired = expiredRange(range.until, keptSince);
  const input = { ...view.filter, ...range, sort: view.listSort as FlowListInput['sort'] };
  const list = useServerList({
    name: 'flows',
    columns,
    state: {
      input,
      sort: view.listSort,
      setSort: view.setSort,
      filtered: view.narrowed && expired === null,
      clear: view.widen,
    },
    pathKey: trpc.flows.list.pathKey(),
    fetchPage: async (page, signal) => {
      const found = await client.flows.list.query({ ...input, ...page }, { signal });
      setKeptSince(found.kept_since);
      return found;
    },
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
      empty={<NoFlows expired={expired} />}
    />
  );
}

/** What helps when there is no flow at all: a wider time, or agents that report. @param expired since when flows are kept */
export function NoFlows({ live = false, expired = null }: { live?: boolean; expired?: string | null }) {
  const t = useT();
  const { can } = usePermissions();
  return (
    <EmptyState
      icon={<Activity />}
      title={
        live ? t('No flows yet') : expired ? t('Flows in this time range expired') : t('No flows in this time range')
      }
      action={
        can('agent:read') && (
          <Link className={buttonClass()} href={paths.agents()}>
            {t('Show agents')}
          </Link>
        )
      }
    >
      {live
        ? t('New flows appear here when agents report, usually within 30 seconds.')
        : expired
          ? t('Individual flows are available since {time}. The chart and groups cover a longer period.', {
              time: formatDateTime(expired),
            })
          : t('Select a longer time range. Nodes without an agent report no flows.')}
    </EmptyState>
  );
}
