import { DAY_MS, HOUR_MS } from '@/domain/durations';
import type { FlowListInput, FlowPage, FlowTail, FlowTailInput } from '@/domain/flow/flow';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { floorTo } from '@/domain/flow/plan-range';
import type { Sharing } from '../../admission/shared-answers';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { readFirewallVersion } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { storedSettings } from '../../settings/settings';
import { narrowToTenant } from '../../tenancy/choose-owner';
import { findFlowReach, findNamedWorkloads } from '../../traffic/queries/flow-reach';
import type { FlowSelection } from '../../traffic/storage/flow-selection';
import { findMissingUntil } from '../../traffic/storage/flow-storage';
import { flowStore } from '../../traffic/storage/flow-store';
import { resolveConditionNames } from '../conversations/resolve-names';
import { withVerdicts } from './flow-verdicts';

/** Longer than anything is stored: a conversation is asked for whenever it was. */
const LONGEST_MS = 400 * DAY_MS;

export type SelectedFlows = {
  selection: FlowSelection;
  /** Milliseconds. */
  now: number;
  since: number;
  until: number;
  retentionHours: number;
  /** Until when flows can be missing. */
  missingUntil: string | null;
};

/**
 * Which flows a reader requests and may see. Without `since` it is the hour before `until` (of one conversation all), without `until` up to
 * now. At most five queries, and one more for a tenant.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant not visible to the
 *   caller
 */
export async function selectFlows(given: Scope<'flow:read'>, filter: FlowFilter): Promise<SelectedFlows> {
  const scope = await narrowToTenant(given, filter.tenant_id);
  const now = clock.now().getTime();
  const isOne = filter.conversation_id !== undefined;
  const until = filter.until === undefined ? now : Date.parse(filter.until);
  const since = filter.since === undefined ? until - (isOne ? LONGEST_MS : HOUR_MS) : Date.parse(filter.since);
  if (!(since < until)) {
    throw new AppError('malformed', 'The time range ends before it starts.', {
      errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
    });
  }
  const [settings, reach, named, missingUntil] = await Promise.all([
    storedSettings(db),
    findFlowReach(scope.reach, new Date(since).toISOString()),
    filter.q ? findNamedWorkloads(scope.reach, filter.q) : [],
    findMissingUntil(),
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
      ...(filter.filter && {
        conversations: {
          condition: filter.filter,
          resolved: await resolveConditionNames(filter.filter, scope.reach, reach.visible),
          now: iso(now),
        },
      }),
    },
    now,
    since,
    until,
    retentionHours,
    missingUntil,
  };
}

/**
 * One page of the visible flows that were active in the time range, newest first. Never an expired one.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function listFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowListInput,
): Promise<FlowPage> {
  const { selection, retentionHours, missingUntil } = await selectFlows(scope, input);
  const page = await flowStore().list(selection, input);
  const items = await withVerdicts(page.items, rules, input.tenant_id);
  const kept = { kept_since: selection.cutoff, retention_hours: retentionHours, missing_until: missingUntil };
  return { ...page, ...kept, items };
}

/**
 * All visible flows that were active in the time range, in batches; each is in one of them, as it was at the beginning.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function* streamFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowListInput,
): AsyncGenerator<FlowPage['items'], void, undefined> {
  const { selection } = await selectFlows(scope, input);
  for await (const flows of flowStore().stream(selection, input)) {
    yield await withVerdicts(flows, rules, input.tenant_id);
  }
}

/** A heartbeat is stored some time after the moment it is stamped with; what is asked for overlaps by this. */
const OVERLAP_MS = 10_000;
/**
 * Live lists continue from whole steps, and share an answer for one: people who see the same ask for the same, and what
 * they show is at most a step older than what is stored.
 */
const TAIL_STEP_MS = 2_000;
export const shareTail: Sharing = {
  seconds: TAIL_STEP_MS / 1_000,
  permissions: ['flow:read', 'workload:read'],
  version: async () => [await readFirewallVersion()],
};
/** Where a tail without `after` begins, and how much older than `after` a flow may be that an agent reports late. */
const START_MS = 5 * 60_000;
const LATE_MS = 60 * 60_000;

/**
 * The visible flows that were stored since `after`, newest first; anything older than an hour before is left to the
 * list. Flows may be returned twice, so that none is missed.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function tailFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowTailInput,
): Promise<FlowTail> {
  const { selection, now } = await selectFlows(scope, input);
  const after = input.after === undefined ? now - START_MS : Date.parse(input.after);
  const iso = (time: number) => new Date(time).toISOString();
  const recent = { ...selection, since: iso(Math.max(Math.min(after, now) - LATE_MS, 0)) };
  const found = await flowStore().tail(recent, iso(after), input.limit + 1);
  return {
    items: await withVerdicts(found.slice(0, input.limit), rules, input.tenant_id),
    next_after: iso(Math.max(floorTo(now, TAIL_STEP_MS) - OVERLAP_MS, Math.min(after, now))),
    more: found.length > input.limit,
  };
}
