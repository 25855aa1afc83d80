import { setTimeout as delay } from 'node:timers/promises';
import { startBenchDatabase } from './database';
import { startSimulatorProcess } from './simulator-process';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long after its reason the rollback of a change starts: npx tsx packages/bench/rollback.ts [changes] [latency ms]
 * A worker with all its jobs and timers runs; all changes of a line have their reason at the same time, each with two workloads. A
 * policy test counts from the end of the deployment that made it fail.
 * Bar: each rollback starts within 5 s.
 */
const [count = 10, latency = 20] = process.argv.slice(2).map(Number);
const BAR_MS = 5_000;

const database = await startBenchDatabase();
process.env.REDIS_URL = '';
const simulator = await startSimulatorProcess(2, count * 10, latency);
const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { newId } = await import('@/server/lib/ids');
const { createCluster } = await import('@/server/sync/clusters');
const { requestSyncIn } = await import('@/server/sync/request-sync');
const { runClusterSync } = await import('@/server/sync/run-sync');
const { observeCluster } = await import('@/server/enforcement/guest-firewall/observe');
const { createPolicyTest } = await import('@/server/enforcement/policy-tests/policy-tests');
const { assignAddresses } = await import('@/server/enforcement/policy-tests/testing/addresses.fixture');
const { applyChange } = await import('@/server/enforcement/changes/rollout/apply-change');
const { insertChange } = await import('@/server/enforcement/queries/changes');
const { PolicyCreate } = await import('@/domain/policies');
const { PolicyTestInput } = await import('@/domain/policy-tests/definition');
const { queueBackend } = await import('@/server/jobs/backend');
const { closeQueues } = await import('@/server/jobs/queues');
const { processors } = await import('../../workers/processors');
const { startWorkers } = await import('../../workers/runtime');

const sql = sqlClient();
const { signal } = new AbortController();
const scope = systemScope('policy:apply', 'bench');
const cluster = await createCluster(systemScope('cluster:write', 'bench'), {
  name: 'bench',
  api_url: simulator.url,
  api_token: simulator.token,
  tls_fingerprint: simulator.fingerprint,
  rule_placement: 'above',
});
await db.transaction((tx) => requestSyncIn(tx, systemScope('cluster:sync', 'bench'), cluster.id, 'manual'));
await runClusterSync(cluster.id, { signal });
await observeCluster(cluster.id, signal);
const free = await sql<{ id: string; vmid: number }[]>`select id, vmid from workloads where not template order by vmid`;
await queueBackend.prepare();
const runtime = await startWorkers(processors);

type Change = { id: string; vmid: number };

/** Applies a change that adds a policy to two workloads of its own, one after the other. */
async function applyOne(settings: object, prepare?: (vmid: number) => Promise<unknown>): Promise<Change> {
  const [first, second] = free.splice(0, 2);
  if (!first || !second) throw new Error('expected more workloads');
  await prepare?.(first.vmid);
  const [id, policy_id] = [newId(), newId()];
  const {
    tenant_id: _,
    project_id: __,
    ...content
  } = PolicyCreate.parse({
    name: `bench ${id}`,
    definition: {
      enforcement_mode: 'enforced',
      direction: 'in',
      sources: ['10.0.0.0/8'],
      targets: [first, second].map(({ vmid }) => `vmid:${vmid}`),
    },
    rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['22'] }],
  });
  const after = {
    ...content,
    tier: 'platform_last',
    tenant_visibility: 'rules',
    rules: content.rules.map((rule, position) => ({ ...rule, id: newId(), position })),
  };
  const owner = { tenant_id: null, project_id: null };
  const item = {
    ...{ kind: 'policy', policy_id, name: after.name, ...owner, base_version: null, before: null, adopted_from: null },
    after,
  } as const;
  await db.transaction((tx) =>
    insertChange(
      tx,
      {
        ...{
          id,
          title: 'bench',
          items: [item as never],
          content_hash: 'x',
          created_by_name: 'bench',
          state: 'approved',
        },
        ...{ confirm_within_seconds: 3_600, on_failure: 'stop', rollback_on_failed_check: true },
        waves: { canaries: { by: 'workloads', workload_ids: [first.id] }, pause_seconds: 0 },
        ...settings,
      },
      [owner],
      [policy_id],
    ),
  );
  const override = systemScope('policy_test:override', 'bench');
  await applyChange(scope, id, prepare ? { override_tests: { reason: 'bench' } } : {}, {
    ...{ read: 'all', override, protect: null, breakGlass: null },
    impact: { policies: 'all', tests: 'all', flows: 'all' },
  });
  return { id, vmid: first.vmid };
}

/** Waits until all changes had a state. @returns when each was first seen to have had it: times in the database are those of the beginning of a transaction */
async function awaitAll(changes: readonly Change[], to: string): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  while (seen.size < changes.length) {
    const rows = await sql<{ change_id: string }[]>`
      select change_id from change_transitions
      where "to" = ${to} and change_id in ${sql(changes.map(({ id }) => id))}`;
    for (const { change_id } of rows) if (!seen.has(change_id)) seen.set(change_id, Date.now());
    await delay(50);
  }
  return seen;
}

async function awaitPause(changes: readonly Change[]): Promise<void> {
  const ids = changes.map(({ id }) => id);
  const isPaused = async () => {
    const rows = await sql`select id from changes where id in ${sql(ids)} and rollout->>'paused' = 'true'`;
    return rows.length === ids.length;
  };
  while (!(await isPaused())) await delay(100);
}

/** Agents of all nodes that have been silent for so long that they become stale in three seconds. @returns when */
async function silenceAgents(): Promise<number> {
  const stale = Date.now() + 3_000;
  const heartbeat = new Date(stale - 90_000).toISOString();
  await sql`insert into node_agents (node_id, token_hash, last_heartbeat_at, interval_seconds)
    select id, id::text, ${heartbeat}, 10 from nodes
    on conflict (node_id) do update set last_heartbeat_at = excluded.last_heartbeat_at`;
  return stale;
}

const applyAll = async (settings: object, prepare?: (vmid: number) => Promise<unknown>) => {
  await sql`delete from node_agents`;
  const changes: Change[] = [];
  for (let n = 0; n < count; n++) changes.push(await applyOne(settings, prepare));
  return changes;
};

type Line = { reason: string; lags: number[]; ends: number[] };
const lines: Line[] = [];
async function measure(
  reason: string,
  changes: readonly Change[],
  since: ReadonlyMap<string, number> | number,
  known?: ReadonlyMap<string, number>,
) {
  const starts = known ?? (await awaitAll(changes, 'rolling_back'));
  const ends = await awaitAll(changes, 'rolled_back');
  const getSince = (id: string) => (typeof since === 'number' ? since : (since.get(id) ?? Number.NaN));
  lines.push({
    reason,
    lags: [...starts].map(([id, at]) => at - getSince(id)),
    ends: [...ends].map(([id, at]) => at - getSince(id)),
  });
}

const timed = await applyAll({ confirm_within_seconds: 20 });
await awaitAll(timed, 'awaiting_confirmation');
const due = await sql<{ id: string; at: Date }[]>`
  select id, confirm_until as at from changes where id in ${sql(timed.map(({ id }) => id))}`;
await measure('not confirmed in time', timed, new Map(due.map(({ id, at }) => [id, Number(new Date(at))])));

const awaiting = await applyAll({});
await awaitAll(awaiting, 'awaiting_confirmation');
await measure('agent silent, while awaiting confirmation', awaiting, await silenceAgents());

const paused = await applyAll({
  waves: { canaries: { by: 'count', count: 1 }, pause_seconds: null },
});
await awaitPause(paused);
await measure('agent silent, in the pause after the canaries', paused, await silenceAgents());

const tested = await applyAll({}, async (vmid) => {
  await assignAddresses(
    {
      cluster,
      id: async () => (await sql<{ id: string }[]>`select id from workloads where vmid = ${vmid}`)[0]?.id ?? '',
    },
    { [vmid]: `10.99.${vmid % 200}.1` },
  );
  const input = { name: `bench ${vmid}`, expect: 'allow', protocol: 'tcp', ports: ['22'], from: ['10.0.0.0/8'] };
  return createPolicyTest(
    systemScope('policy_test:write', 'bench'),
    PolicyTestInput.parse({ ...input, to: [`vmid:${vmid}`] }),
  );
});
const canaries = async () => {
  const rows = await sql<{ change_id: string; at: Date }[]>`
    select change_id, max(finished_at) as at from deployments
    where wave = 1 and change_id in ${sql(tested.map(({ id }) => id))} group by 1`;
  return new Map(rows.map(({ change_id, at }) => [change_id, Number(new Date(at))]));
};
const starts = await awaitAll(tested, 'rolling_back');
await measure('policy test fails after the first wave', tested, await canaries(), starts);

console.log(`${count} changes at the same time, two workloads each, ${latency} ms a call`);
printTable(
  ['reason', 'changes', 'started after: median', 'p95', 'longest', 'all written after'],
  lines.map(({ reason, lags, ends }) => {
    const { median, p95, max } = summary(lags);
    return [reason, String(lags.length), ms(median), ms(p95), ms(max), ms(summary(ends).max)];
  }),
);
for (const { reason, lags } of lines) {
  expectBar(`${reason}: within 5 s`, lags.length === count && lags.every((lag) => lag <= BAR_MS));
}
await runtime.close();
await closeQueues();
simulator.stop();
await closeDb();
await database.stop();
