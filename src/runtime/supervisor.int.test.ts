import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '@/test/bundle';
import { postgresProcesses } from './postgres/orphans';

const ROOT = new URL('../..', import.meta.url).pathname;
const isRoot = userInfo().uid === 0;
const UNKNOWN_ID = { uid: 65534, gid: 65534 };
const othersMayRead = isRoot && spawnSync('test', ['-r', join(ROOT, 'package.json')], UNKNOWN_ID).status === 0;

type Run = {
  process: ChildProcess;
  lines: string[];
  ended: Promise<number | null>;
  line(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
};

let program: Awaited<ReturnType<typeof bundle>>;
/** An installation that was started once and stopped; making one takes seconds. */
let made: string;
let directory: string, data: string;
let runs: Run[];

function start(variables: Record<string, string> = {}, credentials: { uid?: number; gid?: number } = {}): Run {
  const child = spawn(process.execPath, [program.file], {
    cwd: ROOT,
    env: {
      NODE_ENV: 'production',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      PORT: '0',
      FABRIC_DATA_DIR: data,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...credentials,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  const run: Run = {
    process: child,
    lines,
    ended: new Promise((resolve) => child.once('close', resolve)),
    async line(pattern, from = 0) {
      const deadline = Date.now() + 120_000;
      for (;;) {
        for (const text of lines.slice(from)) {
          const match = pattern.exec(text);
          if (match) return match;
        }
        if (Date.now() > deadline) throw new Error(`never printed ${pattern}:\n${lines.join('\n')}`);
        if (child.exitCode !== null) throw new Error(`ended without printing ${pattern}:\n${lines.join('\n')}`);
        await delay(20);
      }
    },
  };
  runs.push(run);
  return run;
}

/** Starts it, and waits until it says that it is ready. */
async function startReady(...given: Parameters<typeof start>): Promise<Run> {
  const run = start(...given);
  await run.line(/\| ready: /);
  return run;
}

/** What the kernel reports for a process; empty for one that has ended, as database processes do all the time. */
function readProcess(pid: number, what: 'cmdline' | 'comm' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}

/** Everything that runs for this data directory: it has the directory in its variables, or works inside it. */
function processes(): number[] {
  const named = readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) => pid > 0 && pid !== process.pid && readProcess(pid, 'environ').includes(`FABRIC_DATA_DIR=${data}\0`),
    );
  const database = existsSync(join(data, 'postgres')) ? postgresProcesses(join(data, 'postgres')) : [];
  return [...named, ...database];
}

async function waitUntilNoneLeft(): Promise<void> {
  const left = () => processes().map((pid) => `${pid} ${readProcess(pid, 'cmdline')}`);
  await expect.poll(left, { interval: 20 }).toEqual([]);
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return await client.unsafe(text);
  } finally {
    await client.end({ timeout: 2 });
  }
}

const readDatabaseUrl = async (run: Run) => (await run.line(/^web +\| DATABASE_URL=(.+)$/))[1] ?? '';
const postmaster = () => Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

// Each test starts real databases, some of them several times; a busy machine takes its time.
describe('supervisor', () => {
  beforeAll(async () => {
    program = await bundle('src/runtime/supervisor.fixture.ts');
    made = mkdtempSync(join(tmpdir(), 'fabric-supervisor-made-'));
    data = join(made, 'data');
    runs = [];
    const run = await startReady();
    run.process.kill('SIGTERM');
    expect(await run.ended, run.lines.join('\n')).toBe(0);
  }, 60_000);
  afterAll(() => {
    for (const run of runs) run.process.kill('SIGKILL');
    program.remove();
    rmSync(made, { recursive: true, force: true, maxRetries: 10 });
  });
  /** Puts the installation there that was made before, with its owners. */
  const install = () => expect(spawnSync('cp', ['-a', join(made, 'data'), data]).status).toBe(0);

  beforeEach(() => {
    // Closed to every other user, like a checkout below /root.
    directory = mkdtempSync(join(tmpdir(), 'fabric-supervisor-'));
    data = join(directory, 'data');
    runs = [];
  });
  afterEach(async () => {
    for (const run of runs) run.process.kill('SIGKILL');
    for (const pid of processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Its guard was faster.
      }
    }
    await waitUntilNoneLeft();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  });

  it('makes a database and secrets, says where it is, refuses a second start and leaves nothing behind', async () => {
    const run = start();
    const [, url] = await run.line(/\| ready: (.+)$/);
    expect(url).toBe('http://127.0.0.1:1');
    const [, code = ''] = await run.line(/setup code (\S+)$/);
    expect(run.lines.some((line) => line.endsWith(`SETUP_CODE=${code}`))).toBe(true);
    expect(readFileSync(join(data, 'secrets', 'setup_code'), 'utf8').trim()).toBe(code);
    for (const name of ['secret_key', 'database_password', 'setup_code']) {
      expect(statSync(join(data, 'secrets', name)).mode & 0o777).toBe(0o600);
    }
    const database = await readDatabaseUrl(run);
    expect(await query(database, 'select count(*)::int as roles from roles where built_in')).toEqual([{ roles: 6 }]);
    if (isRoot) expect(statSync(join(data, 'postgres')).uid).not.toBe(0);
    await expect(query(database.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.lines).toEqual([
      `Fabric is already running on ${data} (process ${run.process.pid}, ${url}). Stop it first, or set FABRIC_DATA_DIR.`,
    ]);

    await query(
      database,
      `insert into users (id, email, password_hash) values (gen_random_uuid(), 'a@example.org', 'x')`,
    );
    run.process.kill('SIGTERM');
    expect(await run.ended, run.lines.join('\n')).toBe(0);
    const order = run.lines
      .map((line) => /asked to end|shutting down|shut down|\| stopped/.exec(line)?.[0])
      .filter(Boolean);
    expect(order.filter((event) => event === 'asked to end')).toHaveLength(2);
    expect(order.at(-1)).toBe('| stopped');
    await waitUntilNoneLeft();
    expect(existsSync(join(data, 'postgres', 'postmaster.pid'))).toBe(false);

    const again = start();
    const started = Date.now();
    await again.line(/\| ready: /);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(again.lines.some((line) => line.includes('setup code'))).toBe(false);
    expect(await query(await readDatabaseUrl(again), 'select email from users')).toEqual([{ email: 'a@example.org' }]);
  });

  it('starts PostgreSQL and its programs again when they are killed', async () => {
    install();
    const run = await startReady();
    const database = await readDatabaseUrl(run);
    await query(database, 'create table kept as select 1 as value');
    for (let round = 1; round <= 2; round++) {
      const from = run.lines.length;
      process.kill(postmaster(), 'SIGKILL');
      await run.line(/PostgreSQL ended \(SIGKILL\)/, from);
      await run.line(/PostgreSQL is running again/, from);
      expect(await query(database, 'select value from kept')).toEqual([{ value: 1 }]);
    }
    const from = run.lines.length;
    const web = processes().find((pid) => readProcess(pid, 'cmdline').endsWith('\0web\0'));
    process.kill(web ?? 0, 'SIGKILL');
    await run.line(/web ended \(SIGKILL\); restarting in 0.5 s/, from);
    await run.line(/^web +\| DATABASE_URL=/, from);
    run.process.kill('SIGINT');
    expect(await run.ended, run.lines.join('\n')).toBe(0);
    await waitUntilNoneLeft();
  });

  it('takes everything down with it when it is killed, and starts again', async () => {
    install();
    const run = await startReady();
    await query(await readDatabaseUrl(run), 'create table kept as select 1 as value');
    run.process.kill('SIGKILL');
    await run.ended;
    await waitUntilNoneLeft();
    const again = await startReady();
    expect(await query(await readDatabaseUrl(again), 'select value from kept')).toEqual([{ value: 1 }]);
  });

  it('ends a PostgreSQL that outlived a killed supervisor, even one that hangs', async () => {
    install();
    const run = await startReady();
    await query(await readDatabaseUrl(run), 'create table kept as select 1 as value');
    const old = postmaster();
    // With the guards gone nothing ends the database.
    for (const pid of processes()) if (readProcess(pid, 'comm').trim() === 'sh') process.kill(pid, 'SIGKILL');
    run.process.kill('SIGKILL');
    await run.ended;
    await delay(300);
    expect(postgresProcesses(join(data, 'postgres'))).toContain(old);
    const again = start();
    await again.line(/terminated \d+ PostgreSQL processes left over from a killed run/);
    await again.line(/\| ready: /);
    expect(postmaster()).not.toBe(old);
    expect(await query(await readDatabaseUrl(again), 'select value from kept')).toEqual([{ value: 1 }]);
  });

  it('ignores a stale postmaster.pid whose process id belongs to another process', async () => {
    install();
    const run = await startReady();
    const pidFile = readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8');
    run.process.kill('SIGTERM');
    await run.ended;
    const stranger = spawn('sleep', ['60'], isRoot ? { uid: statSync(join(data, 'postgres')).uid } : {});
    writeFileSync(join(data, 'postgres', 'postmaster.pid'), pidFile.replace(/^\d+/, String(stranger.pid)));
    try {
      await start().line(/\| ready: /);
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('keeps running when its output has no reader any more', async () => {
    install();
    const run = await startReady();
    run.process.stdout?.destroy();
    run.process.stderr?.destroy();
    // A child that dies is reported: into the closed pipe.
    const [child] = processes().filter((pid) => pid !== run.process.pid);
    if (child) process.kill(child, 'SIGKILL');
    await delay(500);
    expect(run.process.exitCode).toBeNull();
    run.process.kill('SIGTERM');
    expect(await run.ended, run.lines.join('\n')).toBe(0);
  });

  it('never leaves a half-made database', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const run = start();
      await run.line(/creating the database/);
      await delay(150);
      expect(existsSync(join(data, 'postgres'))).toBe(false);
      run.process.kill(signal);
      await run.ended;
    }
    const run = await startReady();
    expect(readdirSync(data).filter((name) => name.includes('init-'))).toEqual([]);
    run.process.kill('SIGTERM');
    expect(await run.ended, run.lines.join('\n')).toBe(0);
  });

  it.runIf(isRoot)('takes over a data directory that was restored as root', async () => {
    install();
    const run = await startReady();
    await query(await readDatabaseUrl(run), 'create table kept as select 1 as value');
    run.process.kill('SIGTERM');
    await run.ended;
    cpSync(data, `${data}-restored`, { recursive: true });
    expect(statSync(join(`${data}-restored`, 'postgres')).uid).toBe(0);
    data = `${data}-restored`;
    const restored = await startReady();
    expect(await query(await readDatabaseUrl(restored), 'select value from kept')).toEqual([{ value: 1 }]);
  });

  it.runIf(othersMayRead)(
    'runs as an ordinary user, too (needs root, and a checkout that others may read)',
    async () => {
      chownSync(directory, UNKNOWN_ID.uid, UNKNOWN_ID.gid);
      const run = await startReady({ HOME: directory }, UNKNOWN_ID);
      expect(statSync(join(data, 'postgres')).uid).toBe(UNKNOWN_ID.uid);
      run.process.kill('SIGTERM');
      expect(await run.ended, run.lines.join('\n')).toBe(0);
      await waitUntilNoneLeft();
    },
  );

  it('runs the demo over an empty installation, and says later that its data is one', async () => {
    const run = start({ SEED_DEMO_DATA: 'true', FABRIC_ALLOW_PRIVATE_TARGETS: '::1/128' });
    await run.line(/^demo +\| TARGETS=::1\/128,127\.0\.10\.0\/24,127\.0\.11\.0\/24 SEED=false$/);
    await run.line(/^fabric +\| sign in as somebody$/);
    await query(
      await readDatabaseUrl(run),
      "insert into users (id, email, password_hash) values (gen_random_uuid(), 'a@example.org', 'x')",
    );
    run.process.kill('SIGTERM');
    await run.ended;
    const again = start({ SEED_DEMO_DATA: 'true' });
    await again.line(/^demo +\| TARGETS=/);
    again.process.kill('SIGTERM');
    await again.ended;
    const plain = start();
    await plain.line(/this installation contains demo data/);
    expect(plain.lines.some((line) => line.startsWith('demo'))).toBe(false);
    expect(plain.lines.filter((line) => line.includes('TARGETS=127'))).toEqual([]);
  });

  it('leaves an installation in use unchanged', async () => {
    install();
    const run = await startReady();
    await query(
      await readDatabaseUrl(run),
      "insert into users (id, email, password_hash) values (gen_random_uuid(), 'a@example.org', 'x')",
    );
    run.process.kill('SIGTERM');
    await run.ended;
    const demo = start({ SEED_DEMO_DATA: 'true' });
    expect(await demo.ended).toBe(1);
    expect(demo.lines.at(-1)).toMatch(
      /^SEED_DEMO_DATA=true: this installation is in use and is not a demo, so it is left unchanged\./,
    );
    const after = await startReady();
    expect(await query(await readDatabaseUrl(after), 'select count(*)::int as n from users')).toEqual([{ n: 1 }]);
  });

  it.each([
    [
      { SEED_DEMO_DATA: 'true', DATABASE_URL: 'postgres://127.0.0.1/x' },
      /^Invalid environment: SEED_DEMO_DATA=true is for the embedded mode/,
    ],
    [{ SEED_DEMO_DATA: 'yes' }, /^Invalid environment: SEED_DEMO_DATA: accepted values are true and false$/],
    [{ PORT: '99999' }, /^Invalid environment: PORT: /],
    [
      { DATABASE_URL: 'postgres://127.0.0.1/x' },
      /^Invalid environment: with DATABASE_URL set, also set REDIS_URL .* and FABRIC_SECRET_KEY /,
    ],
  ])('stops immediately with one clear line for %o', async (variables, message) => {
    const run = start(variables);
    expect(await run.ended).toBe(1);
    expect(run.lines).toHaveLength(1);
    expect(run.lines[0]).toMatch(message);
    expect(existsSync(data)).toBe(false);
  });

  it('says so when the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const run = start({ PORT: String(port) });
    expect(await run.ended).toBe(1);
    expect(run.lines).toEqual([`Port ${port} on 127.0.0.1 is in use. Set PORT to another port.`]);
    server.close();
  });
});
