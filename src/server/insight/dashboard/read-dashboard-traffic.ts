import type { DashboardTraffic } from '@/domain/dashboard/dashboard';
import type { DashboardTrafficInput } from '@/domain/dashboard/dashboard-input';
import { clock } from '../../lib/clock';
import { readTopTalkers } from '../flows/read-top-talkers';
import { readTrafficSeries } from '../flows/read-traffic-series';
import type { DashboardScopes } from './dashboard-scopes';
import { narrowScopes } from './narrow-scopes';

/** More are for the list of flows, grouped by workloads. */
const TALKERS = 10;
const HOUR_MS = 3_600_000;

/**
 * Who within reach carried how much in the range, and when. At most five queries.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant out of reach
 */
export async function readDashboardTraffic(
  scopes: DashboardScopes,
  input: DashboardTrafficInput,
): Promise<DashboardTraffic> {
  const { flow } = await narrowScopes(scopes, input.tenant_id);
  const until = input.until === undefined ? clock.now().getTime() : Date.parse(input.until);
  const since = input.since === undefined ? until - HOUR_MS : Date.parse(input.since);
  const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  const [talkers, traffic] = await Promise.all([readTopTalkers(flow, range, TALKERS), readTrafficSeries(flow, range)]);
  return {
    ...range,
    tenant_id: input.tenant_id ?? null,
    top_talkers: talkers.items,
    top_talkers_source: talkers.source,
    top_talkers_sums: talkers.sums,
    traffic,
  };
}
