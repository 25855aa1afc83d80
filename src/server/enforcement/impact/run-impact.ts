import { setImmediate } from 'node:timers/promises';
import { db } from '../../db/client';
import type { impacts } from '../../db/schema/impacts';
import type { RunChanges } from '../../jobs/queries/run-leases';
import { LeaseLost, RunLease } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { impactLeases, storeConversations } from '../queries/impacts';
import { GuestPairs } from './guest-pairs';
import { liveHash } from './live-hash';
import { planImpact } from './plan-impact';
import { NOTHING_FOUND } from './read-impact';
import { type ReplayPart, replayTraffic } from './replay-traffic';
import { computeRuleFindings, readBasis } from './rule-findings';
import { hashVisibleState } from './shown-hash';

type Changes = RunChanges<typeof impacts>;

/** The share of the work that the replay is. */
const REPLAY_SHARE = 0.7;

/**
 * Computes a waiting impact; without one it does nothing. Evaluated on what was last read; no cluster is contacted.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the impact for another worker
 */
export async function runImpact(impactId: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const row = await impactLeases.claim(db, { id: impactId }, { progress: 0, totals: null, findings: null });
  if (!row) return;
  const progress = { progress: 0 };
  const lease = new RunLease<Changes>(row, {
    what: 'impact',
    ids: { impact_id: impactId },
    leases: impactLeases,
    outer: signal,
    progress: () => progress,
    announce: () => Promise.resolve(),
  });
  const finish = async (outcome: Changes, conversations: ReplayPart['conversations'] = []) => {
    await lease.stop();
    const finished_at = clock.now().toISOString();
    await db.transaction(async (tx) => {
      if (!(await impactLeases.finish(tx, row, { ...outcome, finished_at })))
        throw new LeaseLost('the impact was taken over or deleted');
      await storeConversations(tx, impactId, conversations);
    });
  };
  const reach = async (share: number) => {
    progress.progress = share;
    lease.touch();
    await setImmediate();
    lease.assertHeld();
  };
  await lease.carryOut({
    work: async () => {
      const plan = await planImpact(await readFirewallState(), row.change);
      const session = { row, ...plan, pairs: new GuestPairs(plan.found) };
      const basis = readBasis(session);
      const { totals, conversations, ...traffic } = await replayTraffic(session, async (share, part) => {
        await reach(share * REPLAY_SHARE);
        if (!part) return;
        const findings = { ...NOTHING_FOUND, ...basis, traffic_visible: true };
        await db.transaction(async (tx) => {
          await lease.store(tx, { ...progress, totals: part.totals, findings });
          await storeConversations(tx, impactId, part.conversations);
        });
      });
      const rules = await computeRuleFindings(session, (share) => reach(REPLAY_SHARE + share * (1 - REPLAY_SHARE)));
      const findings = { ...basis, ...traffic, ...rules };
      const live_hash = liveHash(plan);
      // What is live changed since it was asked for: no one who asks about the old state gets this one.
      const key = live_hash === row.live_hash ? row.key : row.id;
      const shown_hash = hashVisibleState(plan, row.reader.policies);
      await finish(
        { status: 'done', progress: 1, totals, findings, live_hash, shown_hash, key, message: null },
        conversations,
      );
    },
    release: () => impactLeases.release(db, row),
    fail: async (error) => {
      lease.log.error({ err: error }, 'impact failed');
      const message =
        error instanceof AppError ? error.message : 'The impact could not be computed. Check the worker log.';
      await finish({ status: 'failed', message });
    },
  });
}
