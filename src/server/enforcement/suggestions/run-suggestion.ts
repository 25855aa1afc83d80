import { setImmediate } from 'node:timers/promises';
import { HOUR_MS } from '@/domain/durations';
import { toOwner } from '@/domain/permissions';
import { computeSuggestion } from '@/domain/suggestion/compute';
import type { LeftOut } from '@/domain/suggestion/observed';
import { packTalks, type StoredFindings } from '@/domain/suggestion/stored-evidence';
import { TRAINING_SHARE } from '@/domain/suggestion/suggestion';
import { db } from '../../db/client';
import type { suggestions } from '../../db/schema/suggestions';
import type { RunChanges } from '../../jobs/queries/run-leases';
import { LeaseLost, RunLease } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { storedSettings } from '../../settings/settings';
import { readConfidence } from '../../traffic/agents/read-confidence';
import { findFlowReach } from '../../traffic/queries/flow-reach';
import { flowStore } from '../../traffic/storage/flow-store';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { type SuggestionRow, suggestionLeases } from '../queries/suggestions';
import { listBroadcasts, listKnown, listNameable } from './nameable';

type Changes = RunChanges<typeof suggestions>;

/** Rows of conversations that a suggestion holds; the rarest are left out, and counted. */
const MOST_PAIRS = 50_000;
/** Kinds of left out conversations that are listed; all are counted. */
const MOST_LEFT_OUT = 500;

/** What was seen of the scope, as far as the reader sees it. */
async function readPairs({ reader, workload_ids, since, until }: SuggestionRow) {
  if (reader.flows === null) throw new AppError('forbidden', 'This requires the permission flow:read.');
  const [{ flow_retention_hours }, reach] = await Promise.all([storedSettings(db), findFlowReach(reader.flows, since)]);
  const now = clock.now();
  const selection = {
    ...reach,
    cutoff: new Date(now.getTime() - flow_retention_hours * HOUR_MS).toISOString(),
    ...{ since, until, filter: {}, named: [], actions: undefined, condition: undefined },
    resolved: new Map(),
    now: now.toISOString(),
  };
  return flowStore().conversations.pairs(selection, {
    at: workload_ids,
    training_share: TRAINING_SHARE,
    most: MOST_PAIRS,
  });
}

const tooMany = (conversations: number, until: string): LeftOut[] =>
  conversations > 0
    ? [
        {
          ...{ reason: 'too_many', client: '', server: '', service: '', conversations, bytes: null },
          last_seen: Date.parse(until),
        },
      ]
    : [];

type Computed = { readonly findings: StoredFindings; readonly held_out_since: string };

async function compute(row: SuggestionRow, pause: () => Promise<void>): Promise<Computed> {
  const { inputs } = await readFirewallState();
  const owner = toOwner(row);
  const flows = row.reader.flows ?? [];
  const { pairs, left_out: cut, held_out_since } = await readPairs(row);
  const window = { since: Date.parse(row.since), until: Date.parse(row.until) };
  const { items, score } = await readConfidence(flows, row.workload_ids, window);
  const found = await computeSuggestion(
    {
      pairs,
      workloads: listNameable(inputs, owner, flows, new Set(row.workload_ids)),
      broadcasts: listBroadcasts(inputs, owner),
      ...listKnown(inputs, owner),
    },
    pause,
  );
  const { evidence, left_out, positions, recommended } = found;
  return {
    held_out_since: held_out_since ?? row.held_out_since,
    findings: {
      talks: packTalks(evidence.talks),
      left_out: keepListed([...tooMany(cut, row.until), ...left_out]),
      positions,
      recommended,
      evidence_score: items.length === 0 ? null : score,
    },
  };
}

/**
 * Computes a waiting suggestion; without one it does nothing. No cluster is contacted.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the suggestion for another worker
 */
export async function runSuggestion(suggestionId: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const row = await suggestionLeases.claim(db, { id: suggestionId }, { progress: 0, findings: null });
  if (!row) return;
  const progress = { progress: 0 };
  const lease = new RunLease<Changes>(row, {
    what: 'suggestion',
    ids: { suggestion_id: suggestionId },
    leases: suggestionLeases,
    outer: signal,
    progress: () => progress,
    announce: () => Promise.resolve(),
  });
  const finish = async (outcome: Changes) => {
    await lease.stop();
    const finished_at = clock.now().toISOString();
    const held = await db.transaction((tx) => suggestionLeases.finish(tx, row, { ...outcome, finished_at }));
    if (!held) throw new LeaseLost('the suggestion was taken over or deleted');
  };
  await lease.carryOut({
    work: async () => {
      const computed = await compute(row, async () => {
        // How many rounds there are is not known before: each takes a part of what is left.
        progress.progress += (1 - progress.progress) / 25;
        lease.touch();
        await setImmediate();
        lease.assertHeld();
      });
      await finish({ status: 'done', progress: 1, ...computed, message: null });
    },
    release: () => suggestionLeases.release(db, row),
    fail: async (error) => {
      lease.log.error({ err: error }, 'suggestion failed');
      const message =
        error instanceof AppError ? error.message : 'The suggestion could not be computed. Check the worker log.';
      await finish({ status: 'failed', message });
    },
  });
}

/** The first of each reason; the others as one entry, so that all are counted. */
function keepListed(all: readonly LeftOut[]): LeftOut[] {
  const rest = new Map<string, LeftOut>();
  for (const one of all.slice(MOST_LEFT_OUT)) {
    const known = rest.get(one.reason);
    rest.set(one.reason, {
      ...{ reason: one.reason, client: '', server: '', service: '', bytes: null },
      conversations: (known?.conversations ?? 0) + one.conversations,
      last_seen: Math.max(known?.last_seen ?? 0, one.last_seen),
    });
  }
  return [...all.slice(0, MOST_LEFT_OUT), ...rest.values()];
}
