import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import { scheduleDeployments } from '@/server/enforcement/deployments/schedule';
import {
  apply as applyPolicy,
  create,
  lab,
  prepareDeploymentLab,
  unmanagedRuleLines,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { getQueue } from '@/server/jobs/queues';
import { env } from '@/server/lib/env';
import type { Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { getRunCount } from '@/test/thorough';
import { rollBackChange } from './decide-change';
import { scheduleChanges, startScheduledChanges } from './start-scheduled';
import { add, apply, drive, edit, makeChange, readLive, readRow, scope, targets } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const GUESTS = [100, 102, 105];
const readAll = () => GUESTS.map(readLive);
async function tick(): Promise<void> {
  const { signal } = new AbortController();
  await startScheduledChanges(signal);
  await scheduleChanges(signal);
}

/** The policy as it is stored. */
const findStored = (id: string) => persist(async () => (await lab.json(`/policies/${id}`)).body as Policy);

/** Ends the connections to the database that were used last, as its restart does with all. */
async function endConnections(): Promise<void> {
  const own = postgres(env().DATABASE_URL ?? '', { max: 1 });
  await own`select pg_terminate_backend(pid) from (select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() order by state_change desc limit 2) as latest`;
  await own.end();
}

/** Tries again what lost its connection, as the queue does with a job and a person with a request. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}

/** What workers held is free when their leases have run out. */
async function endLeases(id: string): Promise<void> {
  await lab.sql`update deployments set lease_at = now() - interval '1 hour' where change_id = ${id} and finished_at is null`;
  await lab.sql`update guest_firewalls set lease_at = now() - interval '1 hour' where lease_owner is not null`;
}

const finish = (id: string) =>
  persist(async () => {
    await endLeases(id);
    return drive(id);
  });

/** Connections to the database are lost at a call to the hypervisor. @returns whether there was such a call */
async function driveWithLoss(id: string, at: number): Promise<boolean> {
  let calls = 0;
  const lose: Interference = async (_request, execute) => {
    if (calls++ === at) await endConnections();
    return execute();
  };
  await drive(id, lose).catch(() => undefined);
  return calls > at;
}

describe('a change', () => {
  it('continues by its schedule when everything in the queue is lost', async () => {
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const old = readLive(100);
    const id = await makeChange([edit(policy, { rules: policy.rules.slice(1) })]);
    await apply(id);
    const lose = async () => {
      for (const name of ['policy.apply', 'policy.cleanup', 'change.advance'] as const) {
        await getQueue(name).obliterate({ force: true });
      }
    };
    const listWaiting = async () => (await getQueue('policy.apply').getWaiting()).map(({ data }) => data);
    await tick();
    await lose();
    await lab.sql`update deployments set created_at = now() - interval '10 minutes' where change_id = ${id}`;
    await scheduleDeployments();
    const [deployment] = await lab.sql`select id from deployments where change_id = ${id}`;
    expect(await listWaiting()).toEqual([{ deployment_id: deployment?.id }]);
    expect(await drive(id)).toBe('awaiting_confirmation');
    await lab.sql`update changes set confirm_until = now() where id = ${id}`;
    await lose();
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'rolling_back' });
    expect(await listWaiting()).toHaveLength(1);
    expect(await drive(id)).toBe('rolled_back');
    expect(readLive(100)).toEqual(old);
  });

  it('ends new or old although PostgreSQL ends connections during its waves and its rollback', async () => {
    for (const vmid of GUESTS)
      lab.control.firewall.insertRule(vmid, 'IN ACCEPT -p tcp -dport 9999 -log nolog # by hand', 0);
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const [old, unmanaged] = [readAll(), GUESTS.map(unmanagedRuleLines)];
    const waves = { canaries: { by: 'workloads' as const, workload_ids: [await lab.id(100)] }, pause_seconds: 0 };
    const read = () =>
      JSON.stringify(readAll())
        .replace(/ p=[0-9a-f-]{36} /g, ' ')
        .replace(/ r=[0-9a-f]+ /g, ' ');
    let fresh: string | undefined;
    // First undisturbed. Afterwards each loss costs seconds.
    for (const at of getRunCount(0, 1) === 0
      ? [Infinity, 40]
      : [Infinity, ...Array.from({ length: 30 }, (_, n) => n * 8)]) {
      const stored = await findStored(policy.id);
      const items = [
        edit(stored, { rules: policy.rules.slice(1) }),
        add(policy, { name: `fresh ${at}`, ...targets(105) }),
      ];
      const id = await makeChange(items, { waves });
      await persist(async () => {
        if ((await readRow(id)).state === 'approved') await apply(id);
      });
      const during = await driveWithLoss(id, at);
      expect(await finish(id)).toBe('awaiting_confirmation');
      fresh ??= read();
      expect([at, read()]).toEqual([at, fresh]);
      await persist(async () => {
        if ((await readRow(id)).state === 'awaiting_confirmation') await rollBackChange(scope, id, {});
      });
      const back = await driveWithLoss(id, at);
      expect(await finish(id)).toBe('rolled_back');
      expect([at, readAll()]).toEqual([at, old]);
      expect(GUESTS.map(unmanagedRuleLines)).toEqual(unmanaged);
      if (at === 40) expect([during, back]).toEqual([true, true]);
    }
  }, 1_200_000);
});
