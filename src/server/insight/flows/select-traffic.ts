import { planSums, type SumPlan } from '@/domain/flow/plan-sums';
import type { TrafficInput } from '@/domain/flow/traffic-sums';
import { type Reach, tenantsOf } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import type { TrafficSelection } from '../../traffic/storage/flow-selection';
import { reachWithin } from './flow-verdicts';

const HOUR_MS = 3_600_000;

/**
 * Which traffic a reader means and may see, and from which sums it is read. A tenant out of reach has none. The sums of `selection` are of
 * whole tenants: of projects in `reach` they say nothing.
 * @throws AppError `malformed` when the range ends before it begins
 */
export function selectTraffic(
  scope: Scope<'flow:read'>,
  { since, until, tenant_id, cluster_id }: TrafficInput,
): { selection: TrafficSelection; reach: Reach; plan: SumPlan } {
  const now = clock.now().getTime();
  const to = until === undefined ? now : Date.parse(until);
  const from = since === undefined ? to - HOUR_MS : Date.parse(since);
  if (!(from < to)) {
    throw new AppError('malformed', 'The time range ends before it begins.', {
      errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
    });
  }
  const plan = planSums({ since: from, until: to }, now);
  const reach = reachWithin(scope.reach, tenant_id);
  return {
    selection: {
      tenants: tenantsOf(reach),
      cluster_id,
      since: new Date(plan.since).toISOString(),
      until: new Date(plan.until).toISOString(),
    },
    reach,
    plan,
  };
}
