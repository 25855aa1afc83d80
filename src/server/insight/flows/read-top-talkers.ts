import { HOUR_MS } from '@/domain/durations';
import type { TopTalkers, TrafficInput } from '@/domain/flow/traffic-sums';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findTalkerWorkloads } from '../../inventory/queries/workloads';
import { clock } from '../../lib/clock';
import { storedSettings } from '../../settings/settings';
import { findVisibleWorkloads } from '../../traffic/queries/flow-reach';
import type { WorkloadTraffic } from '../../traffic/storage/flow-rows';
import { flowStore } from '../../traffic/storage/flow-store';
import { createSumsCache, selectTraffic } from './series';

/**
 * The traffic of all guests in a range is the same for all users; which guests a reader may see is checked each
 * time.
 */
const sums = createSumsCache<WorkloadTraffic[]>('top_talkers');

type Field = 'bytes_in' | 'bytes_out' | 'packets';
const total = (rows: readonly WorkloadTraffic[], field: Field) => rows.reduce((sum, row) => sum + row[field], 0);
const count = (sum: number | null, flows: number | null) => (sum === null || flows === null ? null : sum + flows);

/**
 * The visible guests with the most traffic in the range. When no flow of any of them is known, by their interface
 * counters. At most five queries, or with counters seven.
 */
export async function readTopTalkers(
  scope: Scope<'flow:read'>,
  input: TrafficInput,
  limit: number,
): Promise<TopTalkers> {
  const { selection, reach, plan } = selectTraffic(scope, input);
  const { since, until, cluster_id } = selection;
  const [{ version, as_of }, { visible, periods }] = await Promise.all([
    flowStore().talkers.version(selection),
    findVisibleWorkloads(reach, since),
  ]);
  // What moved in the range is summed up for this reader alone, and what went away is only read of in flows.
  const moved = new Set(periods.map(({ workload_id }) => workload_id));
  const ids = visible === 'all' ? null : new Set(visible.filter((id) => !moved.has(id)));
  const here = new Set(visible === 'all' ? [] : visible);
  const within = (rows: readonly WorkloadTraffic[]) =>
    rows.filter(
      (row) => (ids?.has(row.workload_id) ?? true) && (cluster_id === undefined || row.cluster_id === cluster_id),
    );
  const answer = async (source: TopTalkers['source'], rows: readonly WorkloadTraffic[]): Promise<TopTalkers> => {
    const top = rows.slice(0, limit);
    const names = await findTalkerWorkloads(
      top.map((row) => row.workload_id),
      reach,
    );
    return {
      ...{ source, since, until, as_of },
      items: top.flatMap(({ workload_id, cluster_id: _, ...traffic }) => {
        const workload = names.get(workload_id);
        return workload ? [{ workload, ...traffic }] : [];
      }),
      sums: {
        workloads: rows.length,
        bytes_in: total(rows, 'bytes_in'),
        bytes_out: total(rows, 'bytes_out'),
        packets: total(rows, 'packets'),
        flows: rows.reduce<number | null>((sum, row) => count(sum, row.flows), 0),
      },
    };
  };

  const { parts } = plan;
  const all =
    parts.length === 0
      ? []
      : await sums.load(JSON.stringify(parts), version, () => flowStore().talkers.byWorkload(parts));
  const owned = (await flowStore().talkers.byOwnedWorkload(parts, periods)).filter(
    (row) => here.has(row.workload_id) && (cluster_id === undefined || row.cluster_id === cluster_id),
  );
  const byFlows = [...within(all), ...owned].sort(
    (a, b) => b.bytes_in + b.bytes_out - a.bytes_in - a.bytes_out || (a.workload_id < b.workload_id ? -1 : 1),
  );
  if (byFlows.length > 0) return answer('flows', byFlows);
  const { flow_retention_hours } = await storedSettings(db);
  const cutoff = new Date(clock.now().getTime() - flow_retention_hours * HOUR_MS).toISOString();
  const byCounters = within(await flowStore().talkers.byCounters({ since, until, cutoff }));
  return byCounters.length > 0 ? answer('interface_counters', byCounters) : answer('flows', []);
}
