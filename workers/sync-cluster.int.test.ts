import { type ChildProcess, spawn } from 'node:child_process';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { awaitSyncRun } from '@/server/inventory/reads';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues, getQueue } from '@/server/jobs/queues';
import { requestSync, scheduleSyncs } from '@/server/sync/request-sync';
import { makeSyncLab, type SyncLab } from '@/server/sync/testing/sync-lab.fixture';
import { bundled } from '@/test/bundle';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { until } from '@/test/until';

vi.stubEnv('REDIS_URL', '');
const program = bundled('workers/some-jobs.fixture.ts');
const scope = systemScope('cluster:sync', 'test');

describe('the worker of a sync', () => {
  let fixture: SyncLab;
  let children: ChildProcess[] = [];
  let labs = 0;

  beforeAll(() => queueBackend.prepare());
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    await getQueue('cluster.sync').obliterate({ force: true });
    await fixture.close();
  });
  afterAll(() => closeQueues());

  async function lab() {
    labs += 1;
    fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, `lab ${labs}`);
  }
  async function startWorker(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [program(), 'cluster.sync'], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    return child;
  }
  const runRow = async (id: string) => (await fixture.sql`select * from sync_runs where id = ${id}`)[0];
  /** The effect of half a minute without a renewed lease. */
  const endLease = () =>
    fixture.sql`update sync_runs set lease_at = lease_at - interval '31 seconds' where status = 'running'`;
  /** Killing it in the middle: the configs are slow to read, so some are stored when it dies. */
  async function killDuring(stage: string, id: string, attempts = 1): Promise<void> {
    const worker = await startWorker();
    await until(`attempt ${attempts} is at ${stage}`, async () => {
      const row = await runRow(id);
      return row?.stage === stage && row.attempts === attempts && row.status === 'running';
    });
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGKILL');
    await gone;
    expect(await runRow(id)).toMatchObject({ status: 'running', stage, attempts });
  }

  it('runs a requested sync and returns the outcome to the waiting caller', async () => {
    await lab();
    await startWorker();
    const { run_id } = await requestSync(scope, fixture.cluster.id);
    expect(await awaitSyncRun(scope, run_id)).toMatchObject({ id: run_id, status: 'ok', attempts: 1, errors: [] });
    expect(await fixture.workloads()).toHaveLength(15);
  });

  it('responds over REST: immediately with the queued run, or with the run that has ended', async () => {
    await lab();
    const headers = await bearer(await makeUser('network_operator'));
    const path = `/clusters/${fixture.cluster.id}/sync`;
    const accepted = await call(path, { method: 'POST', headers });
    expect(accepted.status).toBe(202);
    const { run_id } = await accepted.json();
    expect(await (await call(path, { method: 'POST', headers })).json()).toEqual({ run_id });
    expect(await (await call(`/clusters/${fixture.cluster.id}`, { headers })).json()).toMatchObject({
      sync_status: 'queued',
      active_run: { id: run_id, status: 'queued', stage: null, progress_done: 0, progress_total: null },
    });
    // The server does not wait for a client that disconnects.
    const gone = AbortSignal.timeout(100);
    expect((await call(`${path}?wait=true`, { method: 'POST', headers, signal: gone })).status).toBe(202);
    await startWorker();
    const waited = await call(`${path}?wait=true`, { method: 'POST', headers });
    expect(waited.status).toBe(200);
    const run = await waited.json();
    expect(run).toMatchObject({
      status: 'ok',
      cluster_name: fixture.cluster.name,
      kind: 'inventory',
      trigger: 'manual',
    });
    const list = await (await call(`/clusters/${fixture.cluster.id}/sync-runs`, { headers })).json();
    expect(list.items[0]).toEqual(run);
    expect(await (await call(`/sync-runs/${run.id}`, { headers })).json()).toEqual(run);
    expect((await call(path, { method: 'POST', headers: await bearer(await makeUser('viewer')) })).status).toBe(403);
    expect((await call(`${path}?wait=perhaps`, { method: 'POST', headers })).status).toBe(400);
  });

  it('may be killed at any time: another one finishes the run', async () => {
    await lab();
    const { run_id } = await requestSync(scope, fixture.cluster.id);
    fixture.simulator.onRequest({ path: /\/config$/ }, { kind: 'delay', ms: 40_000 });
    await killDuring('interfaces', run_id);
    fixture.simulator.clearFaults();
    // No other worker takes it while its lease holds.
    await scheduleSyncs();
    expect(await runRow(run_id)).toMatchObject({ status: 'running', attempts: 1 });
    await endLease();
    await getQueue('cluster.sync').obliterate({ force: true });
    await startWorker();
    await scheduleSyncs();
    expect(await awaitSyncRun(scope, run_id)).toMatchObject({ status: 'ok', attempts: 2 });
    expect((await fixture.workloads()).every((row) => row.nics.length > 0)).toBe(true);
  });

  it('fails after three crashes, with an audit record, and the next sync works', async () => {
    await lab();
    const { run_id } = await requestSync(scope, fixture.cluster.id);
    fixture.simulator.onRequest({ path: '/cluster/resources' }, { kind: 'delay', ms: 400_000 });
    for (let death = 1; death <= 3; death++) {
      await killDuring('guests', run_id, death);
      await endLease();
      await getQueue('cluster.sync').obliterate({ force: true });
      await scheduleSyncs();
    }
    expect(await runRow(run_id)).toMatchObject({ status: 'failed', attempts: 3 });
    const [cluster] =
      await fixture.sql`select sync_status, last_sync_error_code from clusters where id = ${fixture.cluster.id}`;
    expect(cluster).toEqual({ sync_status: 'failed', last_sync_error_code: 'worker_died' });
    const [record] =
      await fixture.sql`select * from audit_records where object_id = ${fixture.cluster.id} order by seq desc limit 1`;
    expect(record).toMatchObject({ action: 'cluster.sync_failed', after: { run_id, code: 'worker_died' } });
    fixture.simulator.clearFaults();
    await startWorker();
    const next = await requestSync(scope, fixture.cluster.id);
    expect(await awaitSyncRun(scope, next.run_id)).toMatchObject({ status: 'ok' });
  });

  it('puts the run back when the worker is stopped', async () => {
    await lab();
    const { run_id } = await requestSync(scope, fixture.cluster.id);
    fixture.simulator.onRequest({ path: /\/config$/ }, { kind: 'delay', ms: 40_000 });
    const worker = await startWorker();
    await until('it reads configs', async () => (await runRow(run_id))?.stage === 'interfaces');
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(await runRow(run_id)).toMatchObject({ status: 'queued', attempts: 0 });
    fixture.simulator.clearFaults();
    await startWorker();
    expect(await awaitSyncRun(scope, run_id)).toMatchObject({ status: 'ok', attempts: 1 });
  });
});
