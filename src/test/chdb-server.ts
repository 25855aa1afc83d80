import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder in whose `node_modules` is chdb: it is too large for the packages of every developer. */
const CHDB_FOLDER = process.env.FABRIC_CHDB ?? fileURLToPath(new URL('../../.ci/chdb', import.meta.url));

/** Why the tests with ClickHouse do not run here; null when they do. @throws Error on CI, where they must */
export function findChdbProblem(): string | null {
  if (existsSync(join(CHDB_FOLDER, 'node_modules', 'chdb', 'package.json'))) return null;
  const reason = 'chdb is not installed (npm install --prefix .ci/chdb)';
  if (process.env.CI === 'true') throw new Error(reason);
  process.stderr.write(`skipped the tests with ClickHouse: ${reason}\n`);
  return reason;
}

export type ChdbServer = {
  url: string;
  pid: number;
  /** Runs a statement. @throws Error with ClickHouse's message */
  run: (statement: string, settings?: Record<string, string>) => Promise<string>;
  /** Runs an INSERT that ends with its format. */
  insert: (statement: string, body: string, settings?: Record<string, string>) => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Starts a ClickHouse of its own, with nothing in it.
 * @param folder where its data is, in a folder of its own: in memory unless given
 * @param threads of a statement: tests have few rows and run beside others, where more than one takes longer
 */
export async function startChdb({
  folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  threads = 1,
} = {}): Promise<ChdbServer> {
  const data = await mkdtemp(join(folder, 'clickhouse-'));
  const program = fileURLToPath(new URL('./chdb-process.mjs', import.meta.url));
  const options = [program, data, CHDB_FOLDER, String(threads)];
  const child = spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const send = async (search: Record<string, string>, body: string) => {
    const response = await fetch(`${url}/?${new URLSearchParams(search)}`, { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.trim();
  };
  return {
    url,
    pid: child.pid ?? 0,
    run: (statement, settings = {}) => send(settings, statement),
    insert: async (statement, body, settings = {}) => {
      await send({ ...settings, query: statement }, body);
    },
    stop: async () => {
      child.kill();
      await once(child, 'exit');
      await rm(data, { recursive: true, force: true });
    },
  };
}
