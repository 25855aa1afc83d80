import type { TrafficMode } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { findWorkloadSummary } from '../../inventory/queries/workloads';
import { notFound } from '../../lib/refusals';
import type { FlowSelection, InsightSelection } from '../../traffic/storage/flow-selection';
import { selectFlows } from '../flows/list-flows';

type Asked = {
  id: string;
  since?: string | undefined;
  until?: string | undefined;
  traffic_mode: TrafficMode;
} & { [K in 'port' | 'protocol' | 'decision' | 'address' | 'q']?: FlowSelection['filter'][K] | undefined };

/**
 * The workload and which of its flows are requested. Without `since` it is the hour before `until`, without `until`
 * up to now. At most three queries.
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` when the range ends
 *   before it begins
 */
export async function selectInsights(scope: Scope<'flow:read'>, asked: Asked) {
  const { id, traffic_mode: mode, since, until, port, protocol, decision, address, q } = asked;
  const given = { since, until, port, protocol, decision, address, q };
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const [workload, selected] = await Promise.all([
    findWorkloadSummary(scope.reach, id),
    selectFlows(scope, { ...filter, workload_id: id }),
  ]);
  if (!workload) throw notFound('workload');
  const selection: InsightSelection = {
    ...selected.selection,
    filter: { ...selected.selection.filter, workload_id: id },
    mode,
  };
  const iso = (time: number) => new Date(time).toISOString();
  const { now, retentionHours } = selected;
  return {
    workload,
    selection,
    traffic_mode: mode,
    range: { since: iso(selected.since), until: iso(selected.until) },
    now,
    retentionHours,
  };
}

export type SelectedInsights = Awaited<ReturnType<typeof selectInsights>>;
