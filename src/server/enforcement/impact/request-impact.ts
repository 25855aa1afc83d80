import type { ChangeItem } from '@/domain/change/items';
import { HOURLY_HOURS } from '@/domain/flow/plan-range';
import type { DraftImpactInput, Impact, ImpactAgainInput, PolicyImpactInput } from '@/domain/impact/impact';
import type { ImpactChange, ImpactReader } from '@/domain/impact/stored-impact';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { impactCompute } from '../../jobs/definitions';
import { enqueue, enqueueOrWait } from '../../jobs/enqueue';
import { formatWorkerCrash } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { pollUntil, type Waiting } from '../../lib/poll-until';
import { notFound } from '../../lib/refusals';
import { storedSettings } from '../../settings/settings';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findChangeEdits } from '../queries/change-list';
import { countUnfinished, type ImpactRow, impactLeases, isImpactOver, storeImpact } from '../queries/impacts';
import { computeDraftChange, computePolicyChange } from './change';
import { hashImpactContent, sha256 } from './hashes';
import { liveHash } from './live-hash';
import { planImpact } from './plan-impact';
import { findVisibleImpact, readImpact } from './read-impact';
import { hashVisibleState } from './shown-hash';

/** For readers who see the same policies, so that none waits for many of another tenant. */
const MAX_UNFINISHED = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The window of the replay. Up to now is up to the end of this minute, so that what was just observed counts, and the same question
 * within the minute has the same answer. @throws AppError `malformed` for an empty range
 */
function resolveWindow(given: { since?: string; until?: string }, retentionHours: number) {
  const now = clock.now().getTime();
  const until =
    given.until === undefined ? Math.ceil(now / MINUTE_MS) * MINUTE_MS : Math.min(Date.parse(given.until), now);
  const since = Math.max(
    given.since === undefined ? until - DAY_MS : Date.parse(given.since),
    now - HOURLY_HOURS * HOUR_MS,
  );
  if (!(since < until)) {
    throw new AppError('malformed', 'The time range ends before it starts.', {
      errors: [{ field: 'since', message: 'Earlier than until, not in the future, and at most 400 days ago.' }],
    });
  }
  // A minute of grace: the default window is as long as the shortest retention.
  const source = since < now - retentionHours * HOUR_MS - MINUTE_MS ? ('hours' as const) : ('flows' as const);
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString(), source };
}

/** Hands an impact to the queue; when that does not answer the schedule finds it within a minute. */
async function startImpact(impact_id: string): Promise<void> {
  await enqueueOrWait('the impact', { impact_id }, () => enqueue(impactCompute, { impact_id }));
}

/** What is asked about: a stored policy, a change, or (neither) a draft. */
type Subject = Pick<ImpactRow, 'policy_id' | 'change_id' | 'policy_name'>;

async function request(
  firewall: FirewallState,
  change: ImpactChange,
  subject: Subject,
  reader: ImpactReader,
  given: { since?: string; until?: string },
  waiting: Waiting & { wait: boolean },
): Promise<Impact> {
  const { flow_retention_hours } = await storedSettings(db);
  const window = resolveWindow(given, flow_retention_hours);
  const plan = await planImpact(firewall, change);
  const live_hash = liveHash(plan);
  const content_hash = hashImpactContent(change);
  const { policy_id, change_id, policy_name } = subject;
  const leaves = 'items' in change ? change_id : change.leaves;
  const key = sha256([policy_id, policy_name, content_hash, leaves, live_hash, window, reader]);
  const row = {
    id: newId(),
    key,
    ...subject,
    change,
    content_hash,
    live_hash,
    shown_hash: hashVisibleState(plan, reader.policies),
    reader,
    ...window,
  };
  const kept = await db.transaction(async (tx) => {
    const stored = await storeImpact(tx, row);
    if (stored?.added && (await countUnfinished(tx, reader)) > MAX_UNFINISHED) {
      throw new AppError('refused', `${MAX_UNFINISHED} impacts are being computed. Wait until one is done.`);
    }
    return stored;
  });
  // The one with the same key failed in between.
  if (!kept) throw new AppError('conflict', 'The impact could not be computed. Try again.');
  if (kept.added) await startImpact(kept.id);
  if (waiting.wait)
    await pollUntil(
      () => isImpactOver(kept.id),
      (over) => over,
      waiting,
    );
  return readImpact(reader, kept.id);
}

/**
 * What applying a policy that is not stored would do to connections. Computed in the background.
 * @throws as `computeDraftChange`; AppError `refused` while too many are computed, as all requests here
 */
export async function requestDraftImpact(
  scope: Scope<'policy:read'>,
  reader: ImpactReader,
  input: DraftImpactInput,
  waiting: Waiting & { wait: boolean },
): Promise<Impact> {
  const change = await computeDraftChange(scope, input);
  const subject = { policy_id: null, change_id: null, policy_name: change.policy.name };
  return request(await readFirewallState(), change, subject, reader, input, waiting);
}

/** What a change to a stored policy would do to connections. Computed in the background. @throws as `computePolicyChange` */
export async function requestPolicyImpact(
  scope: Scope<'policy:read'>,
  reader: ImpactReader,
  id: string,
  input: PolicyImpactInput,
  waiting: Waiting & { wait: boolean },
): Promise<Impact> {
  const firewall = await readFirewallState();
  const change = await computePolicyChange(scope, firewall, id, input);
  const subject = { policy_id: id, change_id: null, policy_name: change.policy.name };
  return request(firewall, change, subject, reader, input, waiting);
}

/** What all edits of a change would do to connections. Computed in the background. @throws AppError `not_found` */
export async function requestChangeImpact(
  scope: Scope<'policy:read'>,
  reader: ImpactReader,
  id: string,
  input: ImpactAgainInput,
  waiting: Waiting & { wait: boolean },
): Promise<Impact> {
  const found = await findChangeEdits(db, scope.reach, id);
  if (!found) throw notFound('change');
  const subject = { policy_id: null, change_id: id, policy_name: found.title };
  return request(await readFirewallState(), { items: found.items }, subject, reader, input, waiting);
}

/** As `requestChangeImpact`, of edits that are not stored as a change. */
export async function requestItemsImpact(
  reader: ImpactReader,
  title: string,
  items: readonly ChangeItem[],
): Promise<Impact> {
  const subject = { policy_id: null, change_id: null, policy_name: title };
  return request(await readFirewallState(), { items: [...items] }, subject, reader, {}, { wait: false });
}

/** The impact of the same change on what is live now, over another window unless none is given. @throws AppError `not_found` */
export async function requestImpactAgain(
  reader: ImpactReader,
  id: string,
  input: ImpactAgainInput,
  waiting: Waiting & { wait: boolean },
): Promise<Impact> {
  const { change, policy_id, change_id, policy_name } = await findVisibleImpact(reader, id);
  const subject = { policy_id, change_id, policy_name };
  return request(await readFirewallState(), change, subject, reader, input, waiting);
}

const MESSAGE = `${formatWorkerCrash('computation')} Check the worker log.`;

/** Requeues impacts without a worker, or marks them as failed after too many attempts. */
export async function sweepImpacts(): Promise<void> {
  const orphans = await impactLeases.listOrphans(db, []);
  await recoverRuns(orphans, {
    restart: ({ id }) => startImpact(id),
    giveUp: async ({ id }) => {
      const outcome = { message: MESSAGE, finished_at: clock.now().toISOString() };
      await db.transaction((tx) => impactLeases.fail(tx, id, outcome));
    },
  });
}
