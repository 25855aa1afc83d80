import { DAY_MS, HOUR_MS } from '@/domain/durations';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import {
  type Suggestion,
  type SuggestionCreate,
  type SuggestionScope,
  TRAINING_SHARE,
} from '@/domain/suggestion/suggestion';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { suggestionCompute } from '../../jobs/definitions';
import { enqueue, enqueueOrWait } from '../../jobs/enqueue';
import { formatWorkerCrash } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { storedSettings } from '../../settings/settings';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findOwnerNames } from '../queries/impacts';
import { countUnfinished, insertSuggestion, suggestionLeases } from '../queries/suggestions';
import { readSuggestion } from './read-suggestion';
import { resolveScope } from './scope';

/** Of one tenant, so that none waits for many of another. */
const MAX_UNFINISHED = 3;
const MIN_WINDOW_MS = HOUR_MS;

/** The window as far as conversations are kept. @throws AppError `malformed` for less than an hour */
function resolveWindow(given: Pick<SuggestionCreate, 'since' | 'until'>, retentionHours: number) {
  const now = clock.now().getTime();
  const until = Math.min(given.until === undefined ? now : Date.parse(given.until), now);
  const asked = given.since === undefined ? until - DAY_MS : Date.parse(given.since);
  const since = Math.max(asked, now - retentionHours * HOUR_MS);
  if (until - since < MIN_WINDOW_MS) {
    throw new AppError('malformed', 'The time range is too short.', {
      errors: [
        {
          field: 'since',
          message: `At least an hour before until, and within the last ${retentionHours} hours, which are kept.`,
        },
      ],
    });
  }
  const iso = (time: number) => new Date(Math.round(time)).toISOString();
  // Until the conversations are read, as if they began with the window.
  return { since: iso(since), until: iso(until), held_out_since: iso(since + (until - since) * TRAINING_SHARE) };
}

/** Hands a suggestion to the queue; when that does not answer the schedule finds it within a minute. */
async function startSuggestion(suggestion_id: string): Promise<void> {
  await enqueueOrWait('the suggestion', { suggestion_id }, () => enqueue(suggestionCompute, { suggestion_id }));
}

/**
 * Policies for the workloads of a scope, from their conversations in a window. Computed in the background; nothing is enforced.
 * @throws AppError as `resolveScope`; `malformed` for a window that is too short; `refused` while too many are computed
 */
export async function requestSuggestion(
  scope: Scope<'policy:write'>,
  flows: Scope<'flow:read'>,
  reader: ImpactReader,
  input: SuggestionCreate,
): Promise<Suggestion> {
  const { inputs } = await readFirewallState();
  const { flow_retention_hours } = await storedSettings(db);
  const { name, workloads, owner } = resolveScope(inputs, { policies: scope.reach, flows: flows.reach }, input.scope);
  const { project_id }: SuggestionScope = input.scope;
  const names = await findOwnerNames(project_id === undefined ? [] : [{ tenant_id: null, project_id }]);
  const id = newId();
  const row = {
    id,
    ...owner,
    scope: input.scope,
    scope_name: names.get(project_id ?? '') ?? name,
    workload_ids: workloads.map((one) => one.id),
    reader,
    ...resolveWindow(input, flow_retention_hours),
    position: input.tightness ?? null,
  };
  await db.transaction(async (tx) => {
    if ((await countUnfinished(tx, owner)) >= MAX_UNFINISHED) {
      throw new AppError('refused', `${MAX_UNFINISHED} suggestions are being computed. Wait until one is done.`);
    }
    await insertSuggestion(tx, row);
    const { since } = row;
    await recordAudit(tx, scope, {
      action: 'suggestion.requested',
      object_kind: 'suggestion',
      object_id: id,
      object_name: row.scope_name,
      tenant_id: owner.tenant_id,
      after: { workload_ids: row.workload_ids, since },
    });
  });
  await startSuggestion(id);
  return readSuggestion(scope, reader, id, {});
}

const MESSAGE = `${formatWorkerCrash('computation')} Check the worker log.`;

/** Requeues suggestions without a worker, or marks them as failed after too many attempts. */
export async function sweepSuggestions(): Promise<void> {
  await recoverRuns(await suggestionLeases.listOrphans(db, []), {
    restart: ({ id }) => startSuggestion(id),
    giveUp: async ({ id }) => {
      const outcome = { message: MESSAGE, finished_at: clock.now().toISOString() };
      await db.transaction((tx) => suggestionLeases.fail(tx, id, outcome));
    },
  });
}
