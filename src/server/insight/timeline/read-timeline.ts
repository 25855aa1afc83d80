import { DAY_MS } from '@/domain/durations';
import type { Reach } from '@/domain/permissions';
import type { Timeline, TimelineDifference, TimelineEvent, TimelineInput } from '@/domain/timeline';
import { authorizeIfGranted, type Scope, type Session } from '../../auth/scope';
import { readHistoryStart } from '../../db/as-of';
import { db } from '../../db/client';
import { decodeCursor, encodeCursor } from '../../db/keyset';
import { withCursorErrors } from '../../db/query-page';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { readConfidence } from '../../traffic/agents/read-confidence';
import { flowStore } from '../../traffic/storage/flow-store';
import { isWorkloadKnown, listTimelineRows, type TimelineReach } from '../queries/timeline';
import type { TimelineRow } from '../queries/timeline-event';

const DEFAULT_DAYS = 30;

/** What the caller may see of each source. */
export function readTimelineReach(scope: Scope<'workload:read'>, session: Session | null): TimelineReach {
  const find = (permission: 'ipam:read' | 'group:read' | 'policy:read' | 'flow:read') =>
    authorizeIfGranted(session, permission)?.reach ?? null;
  return {
    inventory: scope.reach,
    addresses: find('ipam:read'),
    groups: find('group:read'),
    policies: find('policy:read'),
    traffic: find('flow:read'),
  };
}

const toText = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The options of a firewall are fields of their own. */
function flatten(row: Record<string, unknown>): Map<string, string | null> {
  const { options, ...fields } = row;
  const all = { ...fields, ...(typeof options === 'object' && options !== null ? options : {}) };
  return new Map(Object.entries(all).map(([field, value]) => [field, toText(value)]));
}

/** The fields that differ. A workload that belonged to someone else before shows only its owner of now. */
function listDifferences({ kind, before, after }: TimelineRow): TimelineDifference[] {
  if (!after) return [];
  const now = flatten(after);
  if (!before)
    return kind === 'workload_changed' ? [{ field: 'project', before: null, after: now.get('project') ?? null }] : [];
  const former = flatten(before);
  return [...new Set([...former.keys(), ...now.keys()])]
    .map((field) => ({ field, before: former.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((one) => one.before !== one.after);
}

function toEvent(row: TimelineRow): TimelineEvent {
  const { object_kind, object_id, object_name, before: _before, after: _after, ...event } = row;
  const object =
    object_kind !== null && object_name !== null ? { kind: object_kind, id: object_id, name: object_name } : null;
  return { ...event, object, differences: listDifferences(row) };
}

const GAPS: readonly string[] = ['gap', 'no_agent'];
const SILENT: readonly (string | null)[] = ['no_heartbeats', 'no_collector', 'no_node', null];

/** Times in which no agent observed these workloads. Six queries, however many there are. */
async function listGaps(reach: Reach, workloadIds: readonly string[], since: string, until: string) {
  const { items } = await readConfidence(reach, workloadIds, { since: Date.parse(since), until: Date.parse(until) });
  return items.flatMap(({ workload_id, reasons }) =>
    reasons
      .filter(({ kind, detail }) => GAPS.includes(kind) && SILENT.includes(detail))
      .map(
        (gap): TimelineEvent => ({
          id: `gap:${workload_id}@${gap.since}`,
          at: gap.until,
          not_before: gap.since,
          kind: 'agent_gap',
          workload_id,
          actor_name: null,
          object: null,
          subject: gap.detail,
          differences: [],
        }),
      ),
  );
}

type Place = { readonly at: string; readonly id: string };

/** Newest first; those of the same moment by id. */
const compareEvents = (a: Place, b: Place): number => {
  const moments = Date.parse(b.at) - Date.parse(a.at);
  if (moments !== 0) return moments;
  return a.at === b.at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.at < b.at ? 1 : -1;
};

type Selection = {
  readonly workload_ids: readonly string[];
  readonly since: string;
  readonly until: string;
  readonly after: Place | null;
  readonly limit: number;
};

/** What happened to some workloads, newest first, as far as the caller may see it. Eight queries, however many workloads there are. */
export async function listTimelineEvents(reach: TimelineReach, selection: Selection): Promise<TimelineEvent[]> {
  const { workload_ids, since, until, after, limit } = selection;
  const days = reach.traffic ? await flowStore().hits.daysOfWorkloads(workload_ids) : [];
  const [rows, gaps] = await Promise.all([
    listTimelineRows(reach, { ...selection, days }),
    reach.traffic ? listGaps(reach.traffic, workload_ids, since, until) : [],
  ]);
  const rest = gaps.filter((gap) => !after || compareEvents(after, gap) < 0);
  return [...rows.map(toEvent), ...rest].sort(compareEvents).slice(0, limit);
}

function readRange(input: TimelineInput): { since: string; until: string } {
  const until = input.until === undefined ? clock.now() : new Date(input.until);
  const since = input.since === undefined ? new Date(until.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(input.since);
  if (since < until) return { since: since.toISOString(), until: until.toISOString() };
  throw new AppError('malformed', 'The time range ends before it starts.', {
    errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
  });
}

/**
 * Everything that touched a workload, newest first, of the time in which it was visible to the caller; of each source with its own
 * permission.
 * @throws AppError `not_found`; `malformed` for an empty range or a cursor of another list
 */
export async function readTimeline(
  scope: Scope<'workload:read'>,
  session: Session | null,
  workloadId: string,
  input: TimelineInput,
): Promise<Timeline> {
  const { since, until } = readRange(input);
  const [at, id] = input.cursor === undefined ? [null, null] : decodeCursor(input.cursor, 'time');
  const after = id === null ? null : { at: String(at), id };
  const selection = { workload_ids: [workloadId], since, until, after, limit: input.limit + 1 };
  const [isKnown, recorded_since, found] = await Promise.all([
    isWorkloadKnown(scope.reach, workloadId),
    readHistoryStart(db),
    withCursorErrors(input.cursor, listTimelineEvents(readTimelineReach(scope, session), selection)),
  ]);
  if (!isKnown) throw notFound('workload');
  const items = found.slice(0, input.limit);
  const last = items.at(-1);
  const next_cursor = found.length > input.limit && last ? encodeCursor(last.at, last.id) : null;
  return { items, next_cursor, since, until, recorded_since };
}
