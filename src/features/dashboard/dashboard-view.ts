'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { useUrlValues } from '@/lib/url-state';
import { parseAsId, parseAsSpan, parseAsTime } from '../shared/list-state';
import { DEFAULT_SPAN, resolveRange } from '../shared/time-range';

const PARSERS = {
  range: parseAsSpan,
  since: parseAsTime,
  until: parseAsTime,
  tenant_id: parseAsId,
};

/** Which time, and whose traffic, the dashboard is about; all of it in the URL. */
export function useDashboardView() {
  const [view, setView] = useUrlValues(PARSERS, { history: 'push' });
  return { view, setView: (change: Parameters<typeof setView>[0]) => void setView(change) };
}
export type DashboardView = ReturnType<typeof useDashboardView>['view'];

/** Heartbeats emit no events; all other changes arrive as events immediately. */
const REFRESH_MS = 10_000;

/** A range that ends now ends with a step: as often as it is read, so that a step is read once for everyone who sees the same. */
const STEP_MS = REFRESH_MS;

const LIVE = { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData } as const;

/**
 * The three parts of the dashboard, each independent: one that cannot be read does not affect the others. A time
 * range that ends now moves forward with every read, and the figures shown stay until newer ones arrive.
 */
export function useDashboard(view: DashboardView, suspiciousLimit: number | undefined) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { tenant_id, range, since, until } = view;
  const tenant = tenant_id === null ? {} : { tenant_id };
  const reversed = since !== null && until !== null && since >= until;
  // The same for everyone who asks within these seconds, so that one answer serves all of them.
  const time = () => resolveRange({ range, since, until }, Math.floor(Date.now() / STEP_MS) * STEP_MS);
  const security = useQuery({
    ...LIVE,
    enabled: !reversed,
    queryKey: [...trpc.dashboard.security.pathKey(), view, suspiciousLimit],
    queryFn: ({ signal }) =>
      client.dashboard.security.query(
        { ...time(), ...tenant, ...(suspiciousLimit !== undefined && { suspicious_limit: suspiciousLimit }) },
        { signal },
      ),
  });
  const traffic = useQuery({
    ...LIVE,
    enabled: !reversed,
    queryKey: [...trpc.dashboard.traffic.pathKey(), view],
    queryFn: ({ signal }) => client.dashboard.traffic.query({ ...time(), ...tenant }, { signal }),
  });
  const operations = useQuery({ ...trpc.dashboard.operations.queryOptions(tenant), ...LIVE });
  return { security, traffic, operations, reversed };
}

type Filter = Partial<
  Record<
    | 'source'
    | 'destination'
    | 'destination_workload_id'
    | 'port'
    | 'protocol'
    | 'workload_id'
    | 'cluster_id'
    | 'decision'
    | 'group',
    string
  >
>;

/** The flows behind a figure: of the same time and tenant, narrowed down as given. */
export const flowsHref = ({ range, since, until, tenant_id }: DashboardView, filter: Filter = {}): string =>
  paths.flows({
    ...filter,
    tenant_id,
    ...(since || until ? { since, until } : { range: range === DEFAULT_SPAN ? null : range }),
  });
