import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { storedSettings } from '../../settings/settings';
import { withinTenant } from '../../tenancy/choose-owner';
import { findFlowReach, findNamedWorkloads } from '../../traffic/queries/flow-reach';
import type { FlowSelection } from '../../traffic/storage/flow-selection';

const HOUR_MS = 3_600_000;

export type SelectedFlows = {
  selection: FlowSelection;
  /** Milliseconds. */
  now: number;
  since: number;
  until: number;
  retentionHours: number;
};

/**
 * Which flows a reader means and may see. Without `since` it is the hour before `until`, without `until` up to now.
 * At most five queries, and one more for a tenant.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant out of reach
 */
export async function selectFlows(given: Scope<'flow:read'>, filter: FlowFilter): Promise<SelectedFlows> {
  const scope = await withinTenant(given, filter.tenant_id);
  const now = clock.now().getTime();
  const until = filter.until === undefined ? now : Date.parse(filter.until);
  const since = filter.since === undefined ? until - HOUR_MS : Date.parse(filter.since);
  if (!(since < until)) {
    throw new AppError('malformed', 'The time range ends before it begins.', {
      errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
    });
  }
  const [settings, reach, named] = await Promise.all([
    storedSettings(db),
    findFlowReach(scope.reach, new Date(since).toISOString()),
    filter.q ? findNamedWorkloads(scope.reach, filter.q) : [],
  ]);
  const retentionHours = settings.flow_retention_hours;
  const iso = (time: number) => new Date(time).toISOString();
  return {
    selection: {
      ...reach,
      cutoff: iso(now - retentionHours * HOUR_MS),
      since: iso(since),
      until: filter.until === undefined ? null : iso(until),
      filter,
      named,
    },
    now,
    since,
    until,
    retentionHours,
  };
}
