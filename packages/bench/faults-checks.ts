import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import type { Ledger } from './fault-writers';
import { expectBar } from './stats';

/** Asks again until it holds. @returns whether it came to hold in time */
async function pollUntil(holds: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await holds().catch(() => false)) return true;
    if (Date.now() > deadline) return false;
    await delay(500);
  }
}

async function checkWrites(sql: postgres.Sql, ledger: Ledger): Promise<void> {
  const rows = await sql<{ id: string; name: string; records: number }[]>`
    select t.id::text, t.name, (select count(*)::int from audit_records a
      where a.action = 'tenant.created' and a.object_id = t.id::text) as records from tenants t where t.name like 'writer %'`;
  const stored = new Map(rows.map((row) => [row.name, row]));
  const lost = [...ledger.accepted].filter(([name, id]) => stored.get(name)?.id !== id);
  expectBar(`no accepted write lost (${lost.length} of ${ledger.accepted.size})`, lost.length === 0);
  const unasked = rows.filter(({ name }) => !ledger.accepted.has(name) && !ledger.uncertain.has(name));
  expectBar(
    `nothing written twice (${rows.length - stored.size + unasked.length})`,
    rows.length === stored.size && unasked.length === 0,
  );
  const halves = rows.filter(({ records }) => records !== 1);
  expectBar(`each write has its one audit record (${halves.length} have not)`, halves.length === 0);
  const kept = [...ledger.uncertain].filter((name) => stored.has(name)).length;
  console.log(`       of ${ledger.uncertain.size} writes without an answer ${kept} took place, whole`);
}

async function checkHeartbeats(sql: postgres.Sql, ledger: Ledger): Promise<void> {
  const rows = await sql<{ boot: string; sequence: string }[]>`
    select last_boot_id::text as boot, last_sequence::text as sequence from node_agents where last_boot_id is not null`;
  const last = new Map(rows.map(({ boot, sequence }) => [boot, Number(sequence)]));
  const lost = [...ledger.heartbeats.values()].filter(({ bootId, sequence }) => (last.get(bootId) ?? -1) < sequence);
  expectBar(`no accepted heartbeat lost (${lost.length} of ${ledger.heartbeats.size} agents)`, lost.length === 0);
}

async function checkRuns(sql: postgres.Sql, ledger: Ledger, timeoutMs: number): Promise<void> {
  const open = async () => {
    const [row] = await sql<{ open: number; missing: number }[]>`
      select (select count(*)::int from sync_runs where status in ('queued', 'running')) as open,
        (select count(*)::int from unnest(${[...ledger.runs]}::uuid[]) id where not exists (select 1 from sync_runs r where r.id = id)) as missing`;
    return row ?? { open: 0, missing: 0 };
  };
  await pollUntil(async () => (await open()).open === 0, timeoutMs);
  const { open: left, missing } = await open();
  expectBar(`no run is stuck (${left})`, left === 0);
  expectBar(`no promised run is missing (${missing} of ${ledger.runs.size})`, missing === 0);
}

async function checkQueues(timeoutMs: number): Promise<void> {
  const { JOBS } = await import('@/server/jobs/definitions');
  const { getQueue: queueOf } = await import('@/server/jobs/queues');
  const jobs = Object.values(JOBS);
  const scheduled = jobs.filter((job) => job.everyMs !== undefined);
  const present = async () =>
    (
      await Promise.all(
        scheduled.map(async (job) => ((await queueOf(job.name).getJobScheduler(job.name)) ? [] : [job.name])),
      )
    ).flat();
  await pollUntil(async () => (await present()).length === 0, timeoutMs);
  const missing = await present();
  expectBar(
    `all ${scheduled.length} schedules are there (missing: ${missing.join(', ') || 'none'})`,
    missing.length === 0,
  );

  const frequent = scheduled.filter((job) => (job.everyMs ?? 0) <= 60_000);
  const getNextRun = async (name: (typeof frequent)[number]['name']) =>
    (await queueOf(name).getJobScheduler(name))?.next ?? 0;
  const before = new Map(await Promise.all(frequent.map(async ({ name }) => [name, await getNextRun(name)] as const)));
  const standing = async () => {
    const now = await Promise.all(
      frequent.map(async ({ name }) => ((await getNextRun(name)) > (before.get(name) ?? 0) ? [] : [name])),
    );
    return now.flat();
  };
  await pollUntil(async () => (await standing()).length === 0, timeoutMs);
  const still = await standing();
  expectBar(
    `all ${frequent.length} frequent schedules run (standing: ${still.join(', ') || 'none'})`,
    still.length === 0,
  );

  // A job that is active again and again is none that is stuck: what counts is the same job, active all the time.
  const active = async () =>
    new Set(
      (
        await Promise.all(
          jobs.map(async ({ name }) => (await queueOf(name).getActive()).map(({ id }) => `${name} ${id}`)),
        )
      ).flat(),
    );
  let stuck = await active();
  await pollUntil(async () => {
    const now = await active();
    stuck = new Set([...stuck].filter((id) => now.has(id)));
    return stuck.size === 0;
  }, timeoutMs);
  expectBar(`no job is stuck (${[...stuck].join(', ') || 'none'})`, stuck.size === 0);
}

async function checkAudit(): Promise<void> {
  const { systemScope } = await import('@/server/auth/scope');
  const { verifyAuditChain } = await import('@/server/audit/trail');
  const { checked, broken } = await verifyAuditChain(systemScope('audit:read', 'bench'));
  expectBar(
    `the audit chain is intact (${checked} records${broken ? `, broken at ${broken.seq}` : ''})`,
    broken === null,
  );
}

/** What must hold when the faults are over, each within `settleMs`. */
export async function checkAfterFaults(
  { url, databaseUrl }: { url: string; databaseUrl: string },
  ledger: Ledger,
  settleMs: number,
): Promise<void> {
  const ready = await pollUntil(async () => {
    const response = await fetch(`${url}/api/v1/health/ready`, { signal: AbortSignal.timeout(5_000) });
    const body = (await response.json()) as { checks?: { worker?: { status: string } } };
    return response.ok && body.checks?.worker?.status === 'ok';
  }, settleMs);
  expectBar('the service answers, with a worker', ready);
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} });
  try {
    await checkWrites(sql, ledger);
    await checkHeartbeats(sql, ledger);
    await checkAudit();
    await checkRuns(sql, ledger, settleMs);
    await checkQueues(settleMs);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
