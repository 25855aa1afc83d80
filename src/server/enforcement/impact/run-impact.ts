import { setImmediate } from 'node:timers/promises';
import type { ImpactFindings } from '@/domain/impact/stored-impact';
import { isWithinReach } from '@/domain/permissions';
import { db } from '../../db/client';
import type { RunChanges } from '../../jobs/queries/run-leases';
import { LeaseLost, RunLease } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { ownConnectionsAfter } from '../own-connections/own-connections';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { FirewallChange } from '../policies/planned-change';
import type { PolicyInputs } from '../policies/policy-inputs';
import { describeFailing, failingAfter } from '../policy-tests/tests-after';
import { type ImpactRow, impactLeases } from '../queries/impacts';
import { type ContextPair, describeDifference, isDifferent } from './describe-difference';
import { computeFirewallChange, concernedBy, liveHash } from './firewall-change';
import { contextsOf, openContexts } from './guest-pairs';
import { shownHash } from './shown-hash';

/** Workloads whose difference is kept. */
const MOST_WORKLOADS = 200;

type Session = {
  readonly row: ImpactRow;
  readonly firewall: FirewallState;
  /** With the policy as it would be. */
  readonly inputs: PolicyInputs;
  readonly found: FirewallChange;
  readonly pairOf: (workloadId: string) => ContextPair;
  /** Notes the share that is done, and lets the lease be renewed. */
  readonly reach: (share: number) => Promise<void>;
};

/** What the change does to packets, workload by workload, as far as the reader sees them. */
async function compare({ row, firewall, inputs, found, pairOf, reach }: Session) {
  const { policies } = row.reader;
  const visible = [...new Set([...found.changed, ...found.unreadable])].flatMap((id) => {
    const workload = inputs.workloads.get(id);
    return workload && isWithinReach(workload, policies) ? [workload] : [];
  });
  visible.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.vmid - b.vmid));
  const difference: ImpactFindings['difference'] = [];
  let left_out = 0;
  for (const [at, workload] of visible.entries()) {
    const guest = { workload, read_at: firewall.readAt([workload.id]) };
    const pair = policies === 'all' ? pairOf(workload.id) : openContexts(found, workload.id, policies);
    const one = await describeDifference(inputs, policies, guest, pair, () => reach((at / visible.length) * 0.5));
    if (!isDifferent(one)) continue;
    if (difference.length < MOST_WORKLOADS) difference.push(one);
    else left_out += 1;
  }
  return { difference, difference_left_out: left_out };
}

/** Everything that follows from the rules alone. */
async function compute(session: Session): Promise<ImpactFindings> {
  const { row, firewall, found } = session;
  const { policy } = row.change;
  const { tests, hidden } = await describeFailing(await failingAfter(found, policy), row.reader.tests);
  const ids = concernedBy(firewall, row.change);
  return {
    live_read_at: firewall.readAt(ids),
    ...(await compare(session)),
    workloads_total: found.changed.size + found.unreadable.size,
    confidence: null,
    traffic_visible: false,
    tests,
    hidden_failing_tests: hidden,
    own_connections: await ownConnectionsAfter(found, row.reader.tests),
  };
}

/**
 * Computes a waiting impact; without one it does nothing. Evaluated on what was last read; no cluster is contacted.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the impact for another worker
 */
export async function runImpact(impactId: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const row = await impactLeases.claim(db, { id: impactId }, { progress: 0 });
  if (!row) return;
  const progress = { progress: 0 };
  const lease = new RunLease<{ progress: number }>(row, {
    what: 'impact',
    ids: { impact_id: impactId },
    leases: impactLeases,
    outer: signal,
    progress: () => progress,
    announce: () => Promise.resolve(),
  });
  const finish = async (outcome: RunChanges<typeof import('../../db/schema/impacts').impacts>) => {
    await lease.stop();
    const finished_at = clock.now().toISOString();
    await db.transaction(async (tx) => {
      if (!(await impactLeases.finish(tx, row, { ...outcome, finished_at })))
        throw new LeaseLost('the impact was taken over or deleted');
    });
  };
  await lease.carryOut({
    work: async () => {
      const firewall = await readFirewallState();
      const { policy } = row.change;
      const found = await computeFirewallChange(firewall, row.change);
      const live_hash = liveHash(firewall, row.change, found);
      const others = firewall.inputs.policies.filter(({ id }) => id !== policy.id);
      const findings = await compute({
        row,
        firewall,
        inputs: { ...firewall.inputs, policies: [...others, policy] },
        found,
        pairOf: contextsOf(found),
        reach: async (share) => {
          progress.progress = share;
          lease.touch();
          await setImmediate();
          lease.assertHeld();
        },
      });
      // What is live changed since it was asked for: no one who asks about the old state gets this one.
      const key = live_hash === row.live_hash ? row.key : row.id;
      const shown_hash = shownHash(firewall, row.change, found, row.reader.policies);
      await finish({ status: 'done', progress: 1, findings, live_hash, shown_hash, key, message: null });
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
