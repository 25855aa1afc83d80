'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Grid3x3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { REACH_GROUPINGS } from '@/domain/choices';
import { splitList } from '@/domain/net/port-range';
import { protocolHasPorts } from '@/domain/policy/choices';
import type { Matrix, MatrixCell, MatrixGroup } from '@/domain/reach/reach';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, urlEnum, useUrlValues, withInitial } from '@/lib/url-state';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { SegmentedControl } from '@/ui/segmented-control';
import { Status } from '@/ui/status';
import { conversationsPath } from '../shared/flows/conversations-path';
import { QueryView } from '../shared/query-view';
import { pathCheckPath } from '../shared/reach/ends';
import { usePermissions } from '../shared/use-permissions';
import { useDebounced } from '../shared/use-timers';
import { MatrixGrid } from './matrix-grid';
import { CELL_LABELS, groupName, SEEN_LABELS } from './reach-labels';
import { ServiceFields, toProtocol } from './service-fields';
import { useViewpoint, ViewpointField } from './viewpoint';

const BY_LABELS = {
  group: msg('Group'),
  network: msg('Network'),
  tag: msg('Tag'),
  project: msg('Project'),
} as const;
const URL = {
  by: withInitial(urlEnum(REACH_GROUPINGS), 'group'),
  protocol: URL_TEXT,
  port: URL_TEXT,
};

/** What passes between groups of workloads, and what was seen to. */
export function SegmentMatrix() {
  const t = useT();
  const trpc = useTRPC();
  const [values, set] = useUrlValues(URL);
  const viewpoint = useViewpoint();
  const { by } = values;
  const protocol = toProtocol(values.protocol);
  const typed = useDebounced(values.port ?? '').trim();
  const port = protocolHasPorts(protocol) && typed !== '' ? Number(typed) : undefined;
  const isWrong = port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535);
  const query = useQuery({
    ...trpc.reach.matrix.queryOptions({ by, protocol, ...(port !== undefined && { port }), ...viewpoint.input }),
    enabled: !isWrong,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div>
        <SegmentedControl
          label={t('Group by')}
          value={by}
          onValueChange={(next) => set({ by: next })}
          options={REACH_GROUPINGS.map((value) => ({ value, label: t(BY_LABELS[value]) }))}
        />
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <ServiceFields
          single
          protocol={protocol}
          onProtocolChange={(next) => set({ protocol: next, ...(!protocolHasPorts(next) && { port: null }) })}
          ports={values.port ?? ''}
          onPortsChange={(next) => set({ port: next || null })}
          error={isWrong ? t('Enter a port from 1 to 65535.') : undefined}
        />
        <ViewpointField {...viewpoint} />
      </div>
      <QueryView query={query} skeleton={<Skeleton className="h-96" />}>
        {(matrix) => (
          <Content matrix={matrix} service={{ protocol, ports: port === undefined ? null : String(port) }} />
        )}
      </QueryView>
    </>
  );
}

type Service = { protocol: string; ports: string | null };

function Content({ matrix, service }: { matrix: Matrix; service: Service }) {
  const t = useT();
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, groups_total, groups_empty, cells } = matrix;
  const byEnds = useMemo(() => new Map(cells.map((cell) => [`${cell.from} ${cell.to}`, cell])), [cells]);
  const cell = chosen === null ? undefined : byEnds.get(chosen);
  if (groups.length <= 1) {
    return (
      <EmptyState icon={<Grid3x3 />} title={t('No groups yet')}>
        {t('Groups appear here once they have workloads with a known address.')}
      </EmptyState>
    );
  }
  return (
    <>
      {groups_total > groups.length - 1 && (
        <p className="text-muted">
          {t('The first {n, number} of {total, number} groups.', { n: groups.length - 1, total: groups_total })}
        </p>
      )}
      {groups_empty > 0 && (
        <p className="text-muted">
          {t('{n, plural, one {# group is} other {# groups are}} left out: without a workload with a known address.', {
            n: groups_empty,
          })}
        </p>
      )}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm" aria-label={t('Legend')}>
        {(['allowed', 'partly', 'denied', 'unknown'] as const).map((verdict) => (
          <li key={verdict}>
            <span aria-hidden className="mr-1">
              {CELL_LABELS[verdict].mark}
            </span>
            {t(CELL_LABELS[verdict].word)}
          </li>
        ))}
        <li>{t('Underlined: traffic was seen')}</li>
      </ul>
      <MatrixGrid groups={groups} cellOf={(from, to) => byEnds.get(`${from.id} ${to.id}`)} onOpen={setChosen} />
      {cell && <CellPanel cell={cell} groups={groups} service={service} />}
    </>
  );
}

/** What one cell says, with the ways to its rules and conversations. */
function CellPanel({ cell, groups, service }: { cell: MatrixCell; groups: readonly MatrixGroup[]; service: Service }) {
  const t = useT();
  const { can } = usePermissions();
  const [from, to] = [groups.find(({ id }) => id === cell.from), groups.find(({ id }) => id === cell.to)];
  if (!from || !to) return null;
  const { word, tone } = CELL_LABELS[cell.verdict];
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border bg-surface p-3">
      <span className="font-medium">
        {groupName(t, from)} → {groupName(t, to)}
      </span>
      <Status tone={tone}>{t(word)}</Status>
      {cell.seen && <Status tone={SEEN_LABELS[cell.seen.state].tone}>{t(SEEN_LABELS[cell.seen.state].word)}</Status>}
      {from.end.length > 0 && to.end.length > 0 && (
        <Link
          className="link inline-flex min-h-6 items-center"
          href={pathCheckPath({ from: from.end, to: to.end, ...service })}
        >
          {t('Show the rules that decide')}
        </Link>
      )}
      {can('flow:read') && from.end.length > 0 && to.end.length > 0 && (
        <Link
          className="link inline-flex min-h-6 items-center"
          href={conversationsPath(
            { client: from.end, server: to.end, protocol: service.protocol, ports: splitList(service.ports ?? '') },
            { range: '24h' },
          )}
        >
          {t('Show conversations')}
        </Link>
      )}
    </div>
  );
}
