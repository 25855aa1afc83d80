import { paths } from '@/lib/paths';
import { DEFAULT_RANGE } from '../shared/traffic-range';
import type { DashboardView } from './use-dashboard-view';

type Filter = Partial<
  Record<'source' | 'destination' | 'port' | 'protocol' | 'workload_id' | 'cluster_id' | 'decision' | 'group', string>
>;

/** The flows behind a figure: of the same time and tenant, narrowed down as given. */
export const flowsHref = ({ range, since, until, tenant_id }: DashboardView, filter: Filter = {}): string =>
  paths.flows({
    ...filter,
    tenant_id,
    ...(since || until ? { since, until } : { range: range === DEFAULT_RANGE ? null : range }),
  });
