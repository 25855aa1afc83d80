import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { assertDemoAllowed, assertProductionEnv, childEnvironment, type Env } from '@/server/lib/env';
import { type Child, type ChildProgram, keepRunning } from './child-process';
import { acquireDataLock } from './data-lock';
import { claimDemo, DEMO_TARGETS } from './demo-installation';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded-database';
import { printFirstRunHints } from './first-run';
import { findFreePort } from './postgres/server';
import { prepareStores } from './prepare-stores';
import { readSecret } from './secret-files';
import { createLegibleCode, ensureSecret, randomSecret } from './secrets';

export type Supervisor = {
  /** Address of the pages. */
  url: string;
  databaseUrl: string;
  databasePid(): number | undefined;
  pids(): Record<string, number | undefined>;
  /** Ends the children, then the database. Resolves when no process is left. */
  stop(): Promise<void>;
};

export type ProgramOptions = {
  /** The variables they get. */
  environment: NodeJS.ProcessEnv;
  /** Whether flow records are received. */
  collector: boolean;
  /** Whether the demo's program runs, too. */
  demo: boolean;
  /** Whether the database is the supervisor's own, with the queues in it. */
  embedded: boolean;
};
/** The programs to run. */
export type Programs = (options: ProgramOptions) => readonly ChildProgram[];

type Options = {
  env: Env;
  programs: Programs;
  /** Takes one line, already prefixed with the process it comes from. */
  print: (line: string) => void;
  /** Aborts the start; what was started is ended again. */
  signal?: AbortSignal;
  backoffMs?: number;
};

const STOP_TIMEOUT_MS = 20_000;

/** Fails early and clearly when the port is taken; the web process would only say so again and again. */
async function assertPortFree(port: number, host: string): Promise<void> {
  if (port === 0) return;
  await new Promise<void>((done, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new Error(`Port ${port} on ${host} is in use. Set PORT to another port.`));
      else reject(new Error(`Cannot listen on ${host}:${port} (${error.code}). Check HOST and PORT.`));
    });
    probe.listen(port, host, () => probe.close(() => done()));
  });
}

async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((done, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(done, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function formatServiceUrl(env: Env): string {
  const host = env.HOST === '0.0.0.0' || env.HOST === '::' ? 'localhost' : env.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${env.PORT}`;
}

/**
 * Runs the whole service: takes the data directory's lock, starts the private database when no `DATABASE_URL` is set,
 * migrates, and keeps the programs running. Resolves when all of them are ready.
 * @throws Error with one clear line when the directory is in use, the port is taken or the environment incomplete;
 *   nothing is left running then
 */
export async function startSupervisor({ env, programs, print, signal, backoffMs }: Options): Promise<Supervisor> {
  const say = (line: string) => print(`fabric   | ${line}`);
  assertDemoAllowed(env);
  if (env.DATABASE_URL) assertProductionEnv(env);
  await assertPortFree(env.PORT, env.HOST);
  const data = resolve(env.FABRIC_DATA_DIR);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const lock = await acquireDataLock(data);
  if ('holder' in lock) {
    const { pid, url } = lock.holder;
    const where = [pid ? `process ${pid}` : '', url ?? ''].filter(Boolean).join(', ');
    throw new Error(
      `Fabric is already running on ${data}${where ? ` (${where})` : ''}. Stop it first, or set FABRIC_DATA_DIR.`,
    );
  }

  let database: EmbeddedDatabase | undefined;
  let children: { program: ChildProgram; child: Child }[] = [];
  const stop = async () => {
    await Promise.all(children.map(({ child }) => child.stop(STOP_TIMEOUT_MS)));
    await database?.stop();
    lock.release();
  };
  try {
    if (!env.DATABASE_URL) database = await startEmbeddedDatabase(data, (line) => print(`postgres | ${line}`));
    const databaseUrl = env.DATABASE_URL ?? database?.url ?? '';
    signal?.throwIfAborted();
    await prepareStores({ DATABASE_URL: databaseUrl, REDIS_URL: env.REDIS_URL });
    signal?.throwIfAborted();
    // With an external database, there may be more web processes; they keep their common code there and log it.
    const setupCode = env.FABRIC_SETUP_CODE ?? (database ? ensureSecret(data, 'setup_code', createLegibleCode) : '');
    const demo = env.SEED_DEMO_DATA;
    if (demo) await claimDemo(databaseUrl);
    const targets = [...env.FABRIC_ALLOW_PRIVATE_TARGETS, ...(demo ? DEMO_TARGETS : [])];
    const environment = childEnvironment({
      NODE_ENV: env.NODE_ENV,
      // The demo's agents have to know it before web has started, and after it was started again.
      PORT: String(demo && env.PORT === 0 ? await findFreePort() : env.PORT),
      SEED_DEMO_DATA: 'false',
      FABRIC_ALLOW_PRIVATE_TARGETS: targets.join(','),
      DATABASE_URL: databaseUrl,
      FABRIC_DATA_DIR: data,
      FABRIC_SECRET_KEY: env.FABRIC_SECRET_KEY ?? ensureSecret(data, 'secret_key', randomSecret),
      // There while a rotation of the key is under way.
      FABRIC_PREVIOUS_SECRET_KEY:
        env.FABRIC_PREVIOUS_SECRET_KEY ??
        (env.FABRIC_SECRET_KEY ? '' : (readSecret(data, 'previous_secret_key') ?? '')),
      FABRIC_SETUP_CODE: setupCode,
    });
    children = programs({
      ...{ environment, demo, embedded: database !== undefined },
      collector: env.FABRIC_COLLECTOR_LISTEN !== undefined,
    }).map((program) => ({
      program,
      child: keepRunning(program, {
        onLine: (line) => print(`${program.name.padEnd(8)} | ${line}`),
        onEvent: say,
        backoffMs,
      }),
    }));
    const reports = await rejectOnAbort(Promise.all(children.map(({ child }) => child.ready)), signal);
    const url = reports.find((report) => report.url)?.url ?? formatServiceUrl(env);
    lock.announce(url);
    say(`ready: ${url}`);
    for (const note of reports.flatMap(({ notes = [] }) => notes)) say(note);
    const setupCodeFile = database && !env.FABRIC_SETUP_CODE ? join(data, 'secrets', 'setup_code') : undefined;
    const installation = { url, databaseUrl, demo, embedded: Boolean(database), setupCode, setupCodeFile };
    await rejectOnAbort(printFirstRunHints(installation, say), signal);
    return {
      url,
      databaseUrl,
      databasePid: () => database?.pid(),
      pids: () => Object.fromEntries(children.map(({ program, child }) => [program.name, child.pid()])),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
