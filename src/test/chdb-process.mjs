/**
 * ClickHouse's HTTP interface as far as `@clickhouse/client` uses it, answered by chdb in this process: one statement after the other.
 * Usage: node chdb-process.mjs <data folder> <folder with node_modules/chdb> <threads of a statement>. Prints the port that it listens on.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [folder, program, threads] = process.argv.slice(2);
const { Session } = createRequire(join(program, 'package.json'))('chdb');
const session = new Session(folder);
for (const setting of [`max_threads = ${threads}`, 'max_insert_threads = 1']) session.query(`SET ${setting}`);
const bodies = mkdtempSync(join(tmpdir(), 'chdb-'));
process.on('exit', () => rmSync(bodies, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));
// The process that started it is gone.
process.stdin.resume().on('close', () => process.exit(0));

/** Parameters of a request that are no settings. */
const RESERVED =
  /^(query|query_id|database|session_id|session_timeout|default_format|role|param_.*|enable_http_compression|decompress|http_.*|wait_end_of_query|send_progress_in_http_headers|user|password)$/;
const quote = (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const FORMAT = /\bFORMAT\s+(\w+)\s*;?\s*$/i;

/** Values of `{name: Type}`: chdb has no statement parameters over its text interface, but `SET param_` works. */
const readSettings = (search) => [...search].filter(([name]) => name.startsWith('param_') || !RESERVED.test(name));

/** What is set: the next request mostly has the same, and setting something takes as long as a small statement. */
const applied = new Map();

function applySettings(settings) {
  const changes = [];
  for (const name of [...applied.keys()]) {
    if (settings.has(name) || name.startsWith('param_')) continue;
    applied.delete(name);
    changes.push(`${name} = DEFAULT`);
  }
  for (const [name, value] of settings) {
    if (applied.get(name) === value) continue;
    changes.push(`${name} = ${quote(value)}`);
    applied.set(name, value);
  }
  if (changes.length > 0) session.query(`SET ${changes.join(', ')}`);
}

function runStatement(search, body) {
  const isInsert = search.has('query');
  const statement = (isInsert ? search.get('query') : body.toString('utf8')).trim().replace(/;$/, '');
  if (search.get('database')) session.query(`USE ${search.get('database').replace(/\W/g, '')}`);
  applySettings(new Map(readSettings(search)));
  if (!isInsert || body.length === 0) {
    const format = FORMAT.exec(statement)?.[1] ?? search.get('default_format') ?? 'TabSeparated';
    return session.query(statement, format);
  }
  const file = join(bodies, 'body');
  writeFileSync(file, body);
  return session.query(
    statement.replace(FORMAT, (text) => ` FROM INFILE ${quote(file)} ${text}`),
    'Null',
  );
}

/** The HTTP status and the headers with which ClickHouse reports an exception. */
function toFailure(error) {
  const text = error.cause?.message ?? error.message ?? String(error);
  const message = text.replace(/^.*?(?=Code: \d+)/s, '').replace(/^Error: /, '');
  const code = /^Code: (\d+)/.exec(message)?.[1] ?? '1002';
  return { status: ['60', '81'].includes(code) ? 404 : 500, code, message: `${message}\n` };
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') return response.end('Ok.\n');
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    response.setHeader('x-clickhouse-query-id', url.searchParams.get('query_id') ?? '');
    try {
      response.end(runStatement(url.searchParams, Buffer.concat(parts)));
    } catch (error) {
      const { status, code, message } = toFailure(error);
      response.writeHead(status, { 'x-clickhouse-exception-code': code, 'content-type': 'text/plain' });
      response.end(message);
    }
  });
});
// Longer than clients keep idle connections: one that is closed in the moment when it is used again is an error to them.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
