import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import type { HypervisorProvider } from '@/server/providers/hypervisor/types';
import { openProvider } from '../inventory/cluster-access';
import { deleteCluster, updateCluster } from './clusters';
import { requestSyncIn } from './request-sync';
import { runClusterSync } from './run-sync';
import { inventoryWrites, makeSyncLab, type SyncLab } from './testing/sync-lab.fixture';

const write = systemScope('cluster:write', 'test');
let fixture: SyncLab;
let labs = 0;

async function lab(timeScale = 50) {
  labs += 1;
  fixture = await makeSyncLab({ scenario: smallLab, timeScale }, `lab ${labs}`);
  return fixture;
}
afterEach(() => fixture.close());

/** Calls `hook` before each call to the cluster; the rest is the real provider. */
function watched(hook: (call: number, name: string) => Promise<void> | void): typeof openProvider {
  return (access, options) => {
    const provider = openProvider(access, options);
    let calls = 0;
    const inventory = new Proxy(provider.inventory, {
      get(target, name: keyof HypervisorProvider['inventory']) {
        return async (...args: never[]) => {
          calls += 1;
          await hook(calls, name);
          return (target[name] as (...given: never[]) => Promise<unknown>)(...args);
        };
      },
    });
    return { ...provider, inventory, close: () => provider.close() };
  };
}

const queued = async () => db.transaction((tx) => requestSyncIn(tx, write, fixture.cluster.id, 'manual'));
const run = (context: Partial<Parameters<typeof runClusterSync>[1]> = {}) =>
  runClusterSync(fixture.cluster.id, { signal: new AbortController().signal, ...context });
const lastRun = async () =>
  (await fixture.sql`select * from sync_runs where cluster_id = ${fixture.cluster.id} order by id desc limit 1`)[0];
/** As if the worker had been silent for too long; it may wake up and try to renew. */
const endLease = () =>
  fixture.sql`update sync_runs set lease_at = now() - interval '31 seconds', lease_owner = 'silent' where cluster_id = ${fixture.cluster.id} and status = 'running'`;
/** The stored inventory without identities and times: what two syncs of the same cluster must agree in. */
const inventory = async () => ({
  workloads: (await fixture.workloads()).map(({ vmid, name, status, node_name, tags, nics }) => ({
    vmid,
    name,
    status,
    node_name,
    tags,
    nics,
  })),
  networks:
    await fixture.sql`select name, kind, zone, node_names from networks where cluster_id = ${fixture.cluster.id} order by name`,
  subnets: await fixture.sql`select cidr::text from subnets where cluster_id = ${fixture.cluster.id} order by cidr`,
  nodes: await fixture.sql`select name, status from nodes where cluster_id = ${fixture.cluster.id} order by name`,
});

describe('a sync whose worker is replaced at any call', () => {
  it('ends by the other worker, and the first one writes nothing more', async () => {
    await lab();
    await fixture.sync();
    const desired = await inventory();
    let calls = 0;
    await queued();
    await run({
      openProvider: watched((call) => {
        calls = call;
      }),
    });
    expect(calls).toBeGreaterThan(20);
    // Every kind of call is taken over at least once; the configs are many of the same.
    const steps = [...Array.from({ length: 9 }, (_, i) => i + 1), Math.floor(calls / 2), calls - 1, calls];
    for (const step of steps) {
      await fixture.sql`delete from nodes where cluster_id = ${fixture.cluster.id}`;
      await fixture.sql`delete from workloads where cluster_id = ${fixture.cluster.id}`;
      await fixture.sql`delete from networks where cluster_id = ${fixture.cluster.id}`;
      await queued();
      let taken: string[] | null = null;
      await run({
        openProvider: watched(async (call) => {
          if (call !== step || taken) return;
          taken = [];
          await endLease();
          await run();
          taken = await inventoryWrites(fixture.sql);
        }),
      });
      expect(taken).toEqual(await inventoryWrites(fixture.sql));
      expect(await lastRun()).toMatchObject({ status: 'ok', attempts: 2 });
      expect(await inventory()).toEqual(desired);
    }
  });

  it('waits in the queue when the worker ends in good order, and counts no attempt', async () => {
    await lab();
    await queued();
    const stop = new AbortController();
    const reason = new Error('the worker is stopping');
    const ended = run({
      signal: stop.signal,
      openProvider: watched((call) => {
        if (call === 8) stop.abort(reason);
      }),
    });
    await expect(ended).rejects.toBe(reason);
    expect(await lastRun()).toMatchObject({ status: 'queued', attempts: 0, lease_owner: null });
    expect((await fixture.sql`select sync_status from clusters where id = ${fixture.cluster.id}`)[0]).toEqual({
      sync_status: 'queued',
    });
    await run();
    expect(await lastRun()).toMatchObject({ status: 'ok', attempts: 1 });
    expect(await fixture.workloads()).toHaveLength(15);
  });
});

it('a sync that was interrupted in the middle of many calls does not spoil the next one', async () => {
  // In real time: what is held against a node that fails is forgotten after seconds.
  await lab(1);
  const slow = fixture.simulator.onRequest({ path: /\/config$/ }, { kind: 'delay', ms: 3_000 });
  await queued();
  const stop = new AbortController();
  const refused = expect(run({ signal: stop.signal })).rejects.toThrow('the worker is stopping');
  await expect.poll(lastRun).toMatchObject({ stage: 'interfaces' });
  stop.abort(new Error('the worker is stopping'));
  await refused;
  slow.remove();
  await run();
  expect(await lastRun()).toMatchObject({ status: 'ok', errors: [] });
});

describe('concurrent syncs', () => {
  it('make one run, which one of them carries out', async () => {
    await lab();
    const requests = await Promise.all(Array.from({ length: 8 }, queued));
    expect(new Set(requests.map((request) => request.run_id)).size).toBe(1);
    expect(requests.filter((request) => request.created)).toHaveLength(1);
    let opened = 0;
    const counting: typeof openProvider = (...args) => {
      opened += 1;
      return openProvider(...args);
    };
    await Promise.all(Array.from({ length: 4 }, () => run({ openProvider: counting })));
    expect(opened).toBe(1);
    expect(await lastRun()).toMatchObject({ status: 'ok', attempts: 1 });
    expect(
      await fixture.sql`select count(*)::int as n from sync_runs where cluster_id = ${fixture.cluster.id}`,
    ).toEqual([{ n: 1 }]);
  });

  it('a run with a living worker is left alone', async () => {
    await lab();
    await queued();
    await run({
      openProvider: watched(async (call) => {
        if (call !== 3) return;
        await run();
        expect(await lastRun()).toMatchObject({ status: 'running', attempts: 1 });
      }),
    });
    expect(await lastRun()).toMatchObject({ status: 'ok', attempts: 1 });
  });
});

describe('while a sync runs', () => {
  it.each([1, 3, 6, 12])('deleting the cluster ends it (at call %i)', async (step) => {
    await lab();
    await fixture.sync();
    await queued();
    await run({
      openProvider: watched(async (call) => {
        if (call === step) await deleteCluster(write, fixture.cluster.id);
      }),
    });
    for (const table of ['clusters', 'nodes', 'workloads', 'networks', 'subnets', 'sync_runs']) {
      const column = table === 'clusters' ? 'id' : 'cluster_id';
      const rows =
        await fixture.sql`select 1 from ${fixture.sql(table)} where ${fixture.sql(column)} = ${fixture.cluster.id}`;
      expect(rows, table).toHaveLength(0);
    }
  });

  it('deleting it at the same time as the writes does not deadlock', async () => {
    for (let i = 0; i < 5; i++) {
      await lab();
      await queued();
      const gone = new Promise<void>((resolve, reject) => {
        setTimeout(() => deleteCluster(write, fixture.cluster.id).then(resolve, reject), 40 + 25 * i);
      });
      await Promise.all([run(), gone]);
      expect(await fixture.workloads()).toEqual([]);
      if (i < 4) await fixture.close();
    }
  });

  it('a new token is used by the next one', async () => {
    await lab();
    await queued();
    await run({
      openProvider: watched(async (call) => {
        if (call === 4) await updateCluster(write, fixture.cluster.id, { api_token: fixture.control.tokens.reader });
      }),
    });
    expect(await lastRun()).toMatchObject({ status: 'ok' });
    fixture.control.revokeToken(fixture.control.tokens.manager);
    expect(await fixture.sync()).toMatchObject({ status: 'ok', errors: [] });
  });

  it('a new address stops it before it writes what it read elsewhere', async () => {
    await lab();
    await fixture.sync();
    const before = await inventoryWrites(fixture.sql);
    fixture.control.setTags(100, ['elsewhere']);
    await fixture.settle();
    await queued();
    await run({
      openProvider: watched(async (call) => {
        if (call === 2)
          await updateCluster(write, fixture.cluster.id, {
            api_url: 'https://127.0.0.9:8006',
            api_token: fixture.control.tokens.reader,
          });
      }),
    });
    expect(await lastRun()).toMatchObject({ status: 'failed', errors: [{ code: 'address_changed' }] });
    expect(await inventoryWrites(fixture.sql)).toEqual(before);
    expect((await fixture.sql`select tls_ca, entry_points from clusters where id = ${fixture.cluster.id}`)[0]).toEqual({
      tls_ca: null,
      entry_points: [],
    });
  });
});
