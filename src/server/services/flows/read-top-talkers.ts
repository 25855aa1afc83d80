import type { TopTalkers, TrafficInput } from '@/domain/flow/traffic-sums';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { findTalkersByCounters, findTalkersByFlows, type Talkers } from '../../repositories/traffic-reads';
import { storedSettings } from '../settings/stored-settings';
import { selectTraffic } from './select-traffic';

const HOUR_MS = 3_600_000;
const NOTHING = { workloads: 0, bytes_in: 0, bytes_out: 0, packets: 0, flows: 0 };

/**
 * The guests within reach with the most traffic in the range. When no flow of any of them is known, by the counters of
 * their network cards. One query, or three.
 */
export async function readTopTalkers(
  scope: Scope<'flow:read'>,
  input: TrafficInput,
  limit: number,
): Promise<TopTalkers> {
  const { selection, plan } = selectTraffic(scope, input);
  const { since, until } = selection;
  if (plan.parts.length === 0) {
    return { source: 'flows', since, until, as_of: clock.now().toISOString(), items: [], sums: NOTHING };
  }
  const found = await findTalkersByFlows(selection, plan.parts, limit);
  const answer = (source: TopTalkers['source'], talkers: Talkers) => ({ source, since, until, ...talkers });
  if (found.items.length > 0) return answer('flows', found);
  const { flow_retention_hours } = await storedSettings(db);
  const cutoff = new Date(clock.now().getTime() - flow_retention_hours * HOUR_MS).toISOString();
  const counted = await findTalkersByCounters(selection, cutoff, limit);
  return counted.items.length > 0 ? answer('interface_counters', counted) : answer('flows', found);
}
