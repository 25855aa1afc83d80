import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeCluster } from '@/test/factories';
import { importLeases } from '../addresses/queries/imports';
import { db, sqlClient } from '../db/client';
import { deploymentLeases } from '../enforcement/queries/deployments';
import { syncLeases } from '../inventory/queries/sync-runs';
import { newId } from '../lib/ids';
import { type Lease, MAX_ATTEMPTS } from './queries/run-leases';
import { LeaseLost, RunLease, recoverRuns } from './run-lease';

type Leases = typeof syncLeases;
type Kind = { name: string; table: string; leases: Leases; released: string; insert: (id: string) => Promise<unknown> };

let cluster: { id: string };
const insertSync = (kind: string) => async (id: string) => {
  await sqlClient()`delete from sync_runs where cluster_id = ${cluster.id} and kind = ${kind}`;
  await sqlClient()`insert into sync_runs (id, cluster_id, kind, status, trigger)
    values (${id}, ${cluster.id}, ${kind}, 'queued', 'manual')`;
};
const kinds: Kind[] = [
  { name: 'sync', table: 'sync_runs', leases: syncLeases, released: 'queued', insert: insertSync('inventory') },
  { name: 'discovery', table: 'sync_runs', leases: syncLeases, released: 'queued', insert: insertSync('ipam') },
  {
    name: 'import',
    table: 'ipam_imports',
    leases: importLeases as unknown as Leases,
    released: 'queued',
    insert: (id) => sqlClient()`insert into ipam_imports (id, kind, mode, content, sha256, requested_by_name)
      values (${id}, 'addresses', 'atomic', '', '', 'test')`,
  },
  {
    name: 'deployment',
    table: 'deployments',
    leases: deploymentLeases as unknown as Leases,
    released: 'running',
    insert: (id) => sqlClient()`insert into deployments
      (id, operation_id, policy_id, policy_name, policy_version, cluster_id, kind, trigger, status)
      values (${id}, ${newId()}, ${newId()}, 'web', 1, ${cluster.id}, 'apply', 'manual', 'queued')`,
  },
];

beforeAll(async () => {
  cluster = await makeCluster();
});

const readRow = async ({ table }: Kind, id: string) =>
  (
    await sqlClient()`select status, lease_owner, lease_at, attempts, progress_done, finished_at
    from ${sqlClient()(table)} where id = ${id}`
  )[0] as Record<string, unknown>;
/** As a worker that was killed or stalled leaves it. */
const expireLease = ({ table }: Kind, id: string) =>
  sqlClient()`update ${sqlClient()(table)} set lease_at = now() - interval '31 seconds' where id = ${id} and lease_at is not null`;
const queued = async (kind: Kind): Promise<string> => {
  const id = newId();
  await kind.insert(id);
  return id;
};
const claim = ({ leases }: Kind, id: string) => leases.claim(db, { id });
const end = () => ({ status: 'ok' as const, finished_at: new Date().toISOString() });

const STEPS = ['claim', 'renew', 'fence', 'finish', 'release', 'fail', 'silence'] as const;
const scripts = fc.array(fc.record({ step: fc.constantFrom(...STEPS), worker: fc.nat({ max: 2 }) }), {
  minLength: 4,
  maxLength: 14,
});

describe.each(kinds)('the lease of a $name', (kind) => {
  it('ends when its time is of a clock that was put back since', async () => {
    const id = await queued(kind);
    await claim(kind, id);
    expect(await claim(kind, id)).toBeNull();
    await sqlClient()`update ${sqlClient()(kind.table)} set lease_at = now() + interval '30 days' where id = ${id}`;
    expect((await kind.leases.listOrphans(db, [])).map((run) => run.id)).toContain(id);
    expect(await claim(kind, id)).toMatchObject({ id });
  });

  it('follows the model in every order of claims, renewals, ends and deaths of three workers', () =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const id = await queued(kind);
        // Every lease that a worker ever got: a worker acts on its last one, whatever happened since.
        const leases = new Map<number, Lease>();
        const model = { status: 'queued', owner: null as string | null, silent: false, attempts: 0, progress: 0 };
        for (const [at, { step, worker }] of script.entries()) {
          const lease = leases.get(worker) ?? { id, lease_owner: 'nobody' };
          const held = model.status === 'running' && model.owner === lease.lease_owner;
          const free =
            model.status === 'queued' || (model.status === 'running' && (model.owner === null || model.silent));
          const before = await readRow(kind, id);
          let done = false;
          let expected = held;
          if (step === 'silence') {
            if (model.owner !== null) model.silent = true;
            await expireLease(kind, id);
            continue;
          }
          if (step === 'claim') {
            expected = free && model.attempts < MAX_ATTEMPTS;
            const claimed = await claim(kind, id);
            done = claimed !== null;
            if (claimed) {
              leases.set(worker, claimed);
              Object.assign(model, { status: 'running', owner: claimed.lease_owner, silent: false });
              model.attempts += 1;
            }
          } else if (step === 'renew') {
            done = await kind.leases.renew(db, lease, { progress_done: at + 1 });
            if (held) Object.assign(model, { silent: false, progress: at + 1 });
          } else if (step === 'fence') {
            done = await db.transaction((tx) => kind.leases.hold(tx, lease));
          } else if (step === 'finish') {
            done = await db.transaction((tx) => kind.leases.finish(tx, lease, end()));
            if (held) Object.assign(model, { status: 'ok', owner: null });
          } else if (step === 'release') {
            done = await kind.leases.release(db, lease);
            if (held) Object.assign(model, { status: kind.released, owner: null, silent: false });
            if (held) model.attempts -= 1;
          } else {
            expected = free;
            const { finished_at } = end();
            done = await db.transaction((tx) => kind.leases.fail(tx, id, { finished_at }));
            if (free) Object.assign(model, { status: 'failed', owner: null });
          }
          expect(done, step).toBe(expected);
          const after = await readRow(kind, id);
          if (!expected) expect(after, step).toEqual(before);
          expect(after).toMatchObject({
            status: model.status,
            lease_owner: model.owner,
            attempts: model.attempts,
            progress_done: model.progress,
          });
        }
      }),
      { numRuns: 20 },
    ));

  it('goes to exactly one of many that claim at the same time, also after a death', async () => {
    const id = await queued(kind);
    for (const attempts of [1, 2]) {
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(kind, id)));
      expect(claims.filter((lease) => lease !== null)).toMatchObject([{ attempts }]);
      await expireLease(kind, id);
    }
  });
});

describe.each(kinds)('a worker of a $name', (kind) => {
  const opened: RunLease<{ progress_done: number }>[] = [];
  afterEach(async () => {
    for (const lease of opened.splice(0)) await lease.stop();
  });

  function work(held: Lease, progress: { progress_done: number }, outer = new AbortController().signal) {
    const { leases, name } = kind;
    const lease = new RunLease(held, {
      what: name,
      ids: { run_id: held.id },
      leases,
      outer,
      progress: () => progress,
      announce: () => Promise.resolve(),
    });
    opened.push(lease);
    return lease;
  }

  it('changes nothing after a stall when another one took over, and exactly one finishes', async () => {
    const id = await queued(kind);
    const first = (await claim(kind, id)) as unknown as Lease;
    const stalled = work(first, { progress_done: 7 });
    await expireLease(kind, id);
    const second = (await claim(kind, id)) as unknown as Lease;
    await expect(stalled.flush()).rejects.toBeInstanceOf(LeaseLost);
    await expect(db.transaction((tx) => stalled.fence(tx))).rejects.toBeInstanceOf(LeaseLost);
    await expect(db.transaction((tx) => stalled.store(tx, { progress_done: 7 }))).rejects.toBeInstanceOf(LeaseLost);
    const before = await readRow(kind, id);
    const steps = { release: vi.fn(), fail: vi.fn() };
    const outcome = await stalled.carryOut({
      ...steps,
      // Waits for the cluster until its next renewal finds out.
      work: () =>
        new Promise((_, reject) => {
          stalled.signal.addEventListener('abort', () => reject(new Error('the connection was closed')));
        }),
    });
    expect(outcome).toBeNull();
    expect(stalled.signal.reason).toBeInstanceOf(LeaseLost);
    expect(() => stalled.assertHeld()).toThrow(LeaseLost);
    expect(steps.release).not.toHaveBeenCalled();
    expect(steps.fail).not.toHaveBeenCalled();
    expect(await readRow(kind, id)).toEqual(before);
    const ends = [first, second].map((lease) => db.transaction((tx) => kind.leases.finish(tx, lease, end())));
    expect(await Promise.all(ends)).toEqual([false, true]);
  });

  it('stores its progress with the renewal, and its failure as the end', async () => {
    const id = await queued(kind);
    const held = (await claim(kind, id)) as unknown as Lease;
    await expireLease(kind, id);
    const lease = work(held, { progress_done: 3 });
    const fault = new Error('the cluster refuses');
    const fail = vi.fn(async () => 'stored');
    const end = await lease.carryOut({
      work: async () => {
        await expect.poll(() => readRow(kind, id)).toMatchObject({ progress_done: 3 });
        expect(await claim(kind, id)).toBeNull();
        throw fault;
      },
      release: vi.fn(),
      fail,
    });
    expect(end).toBe('stored');
    expect(fail).toHaveBeenCalledWith(fault);
  });

  it('gives the run back without counting the attempt when it has to end', async () => {
    const id = await queued(kind);
    const held = (await claim(kind, id)) as unknown as Lease;
    const stop = new AbortController();
    const reason = new Error('the worker is stopping');
    const lease = work(held, { progress_done: 0 }, stop.signal);
    const ended = lease.carryOut({
      work: async () => {
        stop.abort(reason);
        lease.assertHeld();
      },
      release: () => kind.leases.release(db, held),
      fail: vi.fn(),
    });
    await expect(ended).rejects.toBe(reason);
    expect(await readRow(kind, id)).toMatchObject({ status: kind.released, lease_owner: null, attempts: 0 });
    expect(await claim(kind, id)).toMatchObject({ attempts: 1 });
  });

  it(`fails the run after ${MAX_ATTEMPTS} worker deaths, and gives it a new job before that`, async () => {
    const id = await queued(kind);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      expect(await claim(kind, id)).toMatchObject({ attempts: attempt });
      const alive = await kind.leases.listOrphans(db, [], { id });
      expect(alive).toEqual([]);
      await expireLease(kind, id);
      const did: string[] = [];
      await recoverRuns(await kind.leases.listOrphans(db, [], { id }), {
        restart: async () => void did.push('restart'),
        giveUp: async () => void did.push('give up'),
      });
      expect(did).toEqual([attempt < MAX_ATTEMPTS ? 'restart' : 'give up']);
    }
    expect(await claim(kind, id)).toBeNull();
  });
});
