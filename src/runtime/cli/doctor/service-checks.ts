import { systemScope } from '@/server/auth/scope';
import { queueBackend } from '@/server/jobs/backend';
import { isTooFarAhead } from '@/server/jobs/schedules';
import {
  examineDatabase,
  examineExporters,
  examineFleet,
  examineFlows,
  examineJobs,
  examineMigrations,
  examineSecrets,
} from '@/server/operation/health';
import type { FlowStorageFacts } from '@/server/traffic/storage/flow-storage';
import { type Check, failed, ok, skipped, warning } from './finding';

const MIB = 1024 ** 2;
const scope = systemScope('*', 'fabric doctor');
/** Flows arrive in ClickHouse before a heartbeat is answered, and with the next run of a job after a failure. */
const LATE_SECONDS = 60;
/** Jobs that wait; more means that the workers do not keep up. */
const MANY_WAITING = 1_000;
const NOT_RUNNING = 'the service is not running, or REDIS_URL is not set';

type Outcome = Awaited<ReturnType<Check['run']>>;

const describeBacklog = ({ reports, rows, oldest_seconds }: FlowStorageFacts['outbox']) =>
  `${rows} rows of ${reports} reports have waited for up to ${Math.round(oldest_seconds ?? 0)} s`;

/** How far a move is, and what pages do not show until it is finished. */
const describeMove = (
  store: string,
  { engine, rows, rows_moved, flows_missing_until }: NonNullable<FlowStorageFacts['move']>,
): Outcome => {
  const missing = flows_missing_until && `, flows of ${flows_missing_until.slice(0, 10)} and before are missing`;
  return warning(
    `${store}; stored flows are being moved: ${rows_moved} of ${rows} rows${missing ?? ''}`,
    `Run fabric flow-store move --to ${engine} until it says that flows have moved.`,
  );
};

/** Where flows are, whether that store answers and fits, and what has not arrived there. */
export function evaluateFlowStorage({
  engine,
  stored_in,
  outbox,
  clickhouse,
  move,
  ...facts
}: FlowStorageFacts): Outcome {
  if (engine === 'postgres') {
    if (stored_in === 'clickhouse') {
      return failed(
        'the flows are in ClickHouse, but CLICKHOUSE_URL is not set',
        'Set CLICKHOUSE_URL for every process, or run fabric flow-store switch --to postgres.',
      );
    }
    if (move?.is_switched) return describeMove('PostgreSQL', move);
    return outbox.reports === 0
      ? ok('PostgreSQL')
      : warning(
          `PostgreSQL; for ClickHouse, ${describeBacklog(outbox)}`,
          'They arrive when CLICKHOUSE_URL is set again.',
        );
  }
  if (move?.is_switched && move.engine === 'postgres') {
    return failed(
      'the flows are being moved to PostgreSQL, but CLICKHOUSE_URL is set',
      'Leave it empty for every process: only fabric flow-store move --to postgres needs it.',
    );
  }
  if (stored_in === 'postgres' && facts.holds_postgres_flows) {
    return failed(
      'the flows are in PostgreSQL, but CLICKHOUSE_URL is set',
      'Leave it empty for every process, or run fabric flow-store move --to clickhouse.',
    );
  }
  if (clickhouse === null || 'error' in clickhouse) {
    return failed(
      clickhouse?.error ?? 'ClickHouse does not answer',
      'Start ClickHouse, or correct CLICKHOUSE_URL. Agents keep their flows for 24 hours.',
    );
  }
  const { version, size_bytes, schema, newest_schema } = clickhouse;
  const detail = `ClickHouse ${version}, ${(size_bytes / MIB).toFixed(0)} MiB, schema ${schema}`;
  if (schema > newest_schema)
    return failed(`${detail}, which is from a later release`, 'Use that release, or restore an earlier backup.');
  if (schema < newest_schema)
    return warning(`${detail}, older than this release`, 'Start the service, or run node dist/migrate.mjs.');
  if ((outbox.oldest_seconds ?? 0) > LATE_SECONDS)
    return warning(`${detail}; ${describeBacklog(outbox)}`, 'Check that a worker runs, and its log.');
  if (move?.is_switched) return describeMove(detail, move);
  if (outbox.refused > 0)
    return warning(
      `${detail}; it refused ${outbox.refused} reports, which are kept in PostgreSQL`,
      'Update Fabric and ClickHouse, then run fabric flow-store retry. The reasons are in the table refused_flows.',
    );
  return facts.holds_postgres_flows
    ? warning(
        `${detail}; PostgreSQL holds flows that are not shown`,
        'They expire by the retention of flows. To show them instead, run fabric flow-store switch --to postgres.',
      )
    : ok(detail);
}

/** The database, the queues and what is kept in them. @param running whether web and workers are expected to run */
export function serviceChecks(running: boolean): Check[] {
  const inDatabase = { needs: 'PostgreSQL' } as const;
  const ofQueues = running && queueBackend.kind === 'postgres' ? inDatabase : {};
  return [
    {
      name: 'database',
      proves: 'PostgreSQL',
      async run() {
        const facts = await examineDatabase();
        const detail = `PostgreSQL ${facts.version}, ${(Number(facts.size_bytes) / MIB).toFixed(0)} MiB, ${facts.connections} of ${facts.max_connections} connections`;
        if (facts.version_num < 150_000) return failed(detail, 'Use PostgreSQL 15 or later.');
        if (!facts.autovacuum)
          return failed(`${detail}; autovacuum is off`, 'Turn autovacuum on: flow tables grow without it.');
        if (facts.connections > 0.8 * facts.max_connections) {
          return warning(detail, 'Raise max_connections, or lower DATABASE_POOL_SIZE of the processes.');
        }
        if ((facts.oldest_transaction_seconds ?? 0) > 3600) {
          return warning(
            `${detail}; a transaction has been open for ${facts.oldest_transaction_seconds} s`,
            'End the transaction: it keeps autovacuum from removing dead rows (see pg_stat_activity).',
          );
        }
        return ok(detail);
      },
    },
    {
      name: 'clock',
      ...inDatabase,
      async run() {
        const { clock_ahead_ms } = await examineDatabase();
        const seconds = Math.abs(clock_ahead_ms) / 1000;
        const detail = `${seconds.toFixed(1)} s between this machine and the database`;
        return seconds > 5 ? warning(detail, 'Synchronize both clocks (chrony, systemd-timesyncd).') : ok(detail);
      },
    },
    {
      name: 'migrations',
      ...inDatabase,
      async run() {
        const state = await examineMigrations();
        if (state === 'current') return ok('the schema matches this release');
        return state === 'older'
          ? warning('the schema is older than this release', 'Start the service, or run node dist/migrate.mjs.')
          : failed('the schema is from a later release', 'Use that release, or restore an earlier backup.');
      },
    },
    {
      name: 'flow storage',
      ...inDatabase,
      async run() {
        if ((await examineMigrations()) === 'older') return skipped('the schema is older than this release');
        return evaluateFlowStorage(await examineFlows(scope));
      },
    },
    {
      name: 'credentials',
      ...inDatabase,
      async run() {
        const { sealed, lost } = await examineSecrets(scope);
        if (lost.length === 0) return ok(`${sealed} stored, all encrypted with a known key`);
        const names = lost.map(({ name, rows }) => `${rows} ${name}`).join(', ');
        return failed(
          `no key decrypts ${names}`,
          'Restore the FABRIC_SECRET_KEY that encrypted them, or enter the credentials again.',
        );
      },
    },
    {
      name: 'administrators',
      ...inDatabase,
      async run() {
        const { users, super_admins } = await examineFleet(scope);
        if (users === 0) return warning('there are no accounts', 'Open the setup page, or run fabric create-admin.');
        return super_admins > 0
          ? ok(`${super_admins} of ${users} users`)
          : failed('there is no permanent super administrator', 'Run fabric create-admin EMAIL --reset.');
      },
    },
    {
      name: 'clusters',
      ...inDatabase,
      async run() {
        const { clusters, failed: broken } = await examineFleet(scope);
        return broken === 0
          ? ok(`${clusters}, none failed to sync`)
          : warning(`${broken} of ${clusters} failed to sync`, 'See the pages of these clusters for the reason.');
      },
    },
    {
      name: 'agents',
      ...inDatabase,
      async run() {
        const { agents, silent } = await examineFleet(scope);
        return silent === 0
          ? ok(`${agents} reporting`)
          : warning(
              `${silent} of ${agents} are stale`,
              'On these nodes, run: systemctl status fabric-agent, fabric-agent doctor.',
            );
      },
    },
    {
      name: 'flow exporters',
      ...inDatabase,
      async run() {
        const { exporters, silent, collectors } = await examineExporters(scope);
        if (exporters === 0) return ok('none');
        if (collectors === 0)
          return warning(
            `${exporters}, but no collector runs`,
            'Set FABRIC_COLLECTOR_LISTEN and restart, or delete the exporters.',
          );
        return silent === 0
          ? ok(`${exporters}, none stale`)
          : warning(`${silent} of ${exporters} are stale`, 'Check their configuration and the way to the collector.');
      },
    },
    {
      name: 'queues',
      ...ofQueues,
      async run() {
        if (!running) return skipped(NOT_RUNNING);
        const { backend, queues } = await examineJobs(scope);
        const workers = Math.max(0, ...queues.map((queue) => queue.workers ?? 0));
        const waiting = queues.reduce((total, queue) => total + queue.waiting, 0);
        const detail = `on ${backend === 'redis' ? 'Redis' : 'PostgreSQL'}, ${workers} workers, ${waiting} jobs waiting`;
        if (workers === 0) return failed(detail, 'Start a worker (node dist/worker.mjs).');
        return waiting > MANY_WAITING ? warning(detail, 'Start more workers.') : ok(detail);
      },
    },
    {
      name: 'schedules',
      ...ofQueues,
      async run() {
        if (!running) return skipped(NOT_RUNNING);
        const { queues } = await examineJobs(scope);
        const scheduled = queues.filter((queue) => queue.every_seconds !== null);
        const late = scheduled.filter(
          ({ next_run_at, every_seconds }) =>
            next_run_at !== null && Date.parse(next_run_at) < Date.now() - 1000 * Math.max(60, every_seconds ?? 0),
        );
        const ahead = scheduled.filter(
          ({ next_run_at, every_seconds }) =>
            next_run_at !== null && isTooFarAhead(Date.parse(next_run_at), 1000 * (every_seconds ?? 0), Date.now()),
        );
        if (scheduled.length === 0)
          return failed('no schedules', 'A worker creates the schedules within 30 seconds of its start.');
        if (ahead.length > 0) {
          return failed(
            `too far ahead: ${ahead.map(({ name }) => name).join(', ')}`,
            'The system clock was ahead. A running worker corrects this within a minute: check its log and the clock.',
          );
        }
        return late.length === 0
          ? ok(`${scheduled.length}, none late`)
          : failed(`late: ${late.map(({ name }) => name).join(', ')}`, 'Check the worker log.');
      },
    },
    {
      name: 'failed jobs',
      ...ofQueues,
      async run() {
        if (!running) return skipped(NOT_RUNNING);
        const { recent_failures } = await examineJobs(scope);
        const since = Date.now() - 3_600_000;
        const recent = recent_failures.filter(({ failed_at }) => failed_at !== null && Date.parse(failed_at) > since);
        const [first] = recent;
        return first
          ? warning(
              `${recent.length} in the last hour, most recent ${first.name}: ${first.reason}`,
              'See the Jobs page and the log.',
            )
          : ok('none in the last hour');
      },
    },
  ];
}
