import { setTimeout as delay } from 'node:timers/promises';
import {
  createPostgresBackend,
  type IQueueBackend,
  type Processor,
  Queue,
  runMigrations,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { env } from '../lib/env';
import { logger } from '../lib/logger';
import { lazy } from '../lib/process-state';
import { JOBS } from './definitions';

export type JobQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend, never>;
export type JobWorker = Worker<unknown, void, string, IQueueBackend>;
export type JobProcessor = Processor<unknown, void, string>;
type WorkerSettings = Omit<WorkerOptions, 'connection'>;

/** How many jobs of a queue are in each state, when its schedule runs next, and how many workers are connected. */
export type QueueState = {
  waiting: number;
  active: number;
  delayed: number;
  completed: number;
  failed: number;
  /** Null when the store does not know. */
  workers: number | null;
  /** Milliseconds; null without a schedule. */
  every_ms: number | null;
  /** Milliseconds since 1970; null without a schedule. */
  next_run_ms: number | null;
};

/** Where jobs wait. Nothing else in the program knows which of the two it is. */
export type QueueBackend = {
  kind: 'postgres' | 'redis';
  /** Creates the backend's own tables; safe to repeat and to run from several processes at the same time. */
  prepare(): Promise<void>;
  /** Answers when the store is reachable. @throws its error otherwise */
  ping(): Promise<void>;
  /** Both ends of the connection to the store of the queues; null when that is the database. @throws as `ping` */
  peer(): Promise<{ local: string | null; remote: string; port: number } | null>;
  queue(name: string): JobQueue;
  worker(name: string, processor: JobProcessor, settings: WorkerSettings): JobWorker;
  /** The state of each of these queues, in their order. A schedule has the name of its queue. */
  states(queues: readonly JobQueue[]): Promise<QueueState[]>;
  /** Closes the shared connections. Queues and workers are closed before; what one that does not end holds is cut after two seconds. */
  close(): Promise<void>;
};

/** The tables are in the same database as the Fabric tables, in a schema of their own. */
const SCHEMA = 'bullmq';
/** Connections besides those with which workers listen. */
const SHORT_QUERIES = 6;
/** How long what is open may take to close, in milliseconds. */
export const CLOSE_MS = 2_000;
const logDrop = (error: unknown) => logger.warn({ err: error }, 'queue connection lost; reconnecting');

/**
 * The states of all queues in one statement: asking each queue for itself takes three. The tables are those of the package, and the
 * session of a worker has the name of its queue, with ":w:" and its own if it has one. Parameter: names of queues.
 */
const STATES = `
  select coalesce(counts.waiting, 0)::float8 as waiting, coalesce(counts.active, 0)::float8 as active,
    coalesce(counts.delayed, 0)::float8 as delayed, coalesce(counts.completed, 0)::float8 as completed,
    coalesce(counts.failed, 0)::float8 as failed, coalesce(sessions.workers, 0)::float8 as workers,
    scheduler.every_ms::float8 as every_ms, scheduler.next_run_ms::float8 as next_run_ms
  from unnest($1::text[]) with ordinality as asked (queue, position)
  left join (
    select queue,
      count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'active') as active,
      count(*) filter (where state = 'delayed') as delayed, count(*) filter (where state = 'completed') as completed,
      count(*) filter (where state = 'failed') as failed
    from job group by queue
  ) counts on counts.queue = asked.queue
  left join scheduler on scheduler.queue = asked.queue and scheduler.scheduler_id = asked.queue
  left join (
    select split_part(application_name, ':w:', 1) as queue, count(*) as workers from pg_stat_activity
    where datname = current_database() group by 1
  ) sessions on sessions.queue = asked.queue
  order by asked.position`;

/** The state of one queue, as the package reads it. */
async function readState(queue: JobQueue): Promise<QueueState> {
  const [counts, scheduler, workers] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'completed', 'failed'),
    queue.getJobScheduler(queue.name),
    queue.getWorkersCount().catch(() => null),
  ]);
  return {
    waiting: (counts.wait ?? 0) + (counts.prioritized ?? 0),
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    completed: counts.completed ?? 0,
    failed: counts.failed ?? 0,
    workers,
    every_ms: scheduler?.every ?? null,
    next_run_ms: scheduler?.next ?? null,
  };
}

function postgresBackend(url: string): QueueBackend {
  // One pool for all queues and workers. Each worker keeps one connection for LISTEN, the others serve short queries.
  const pool = new pg.Pool({
    connectionString: url,
    max: Object.keys(JOBS).length + SHORT_QUERIES,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'fabric-queue',
    options: `-c search_path=${SCHEMA}`,
  });
  pool.on('error', logDrop);
  // Every queue and worker listens for errors of the shared pool.
  pool.setMaxListeners(200);
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    open.add(client);
    // Lost while it is in use: what is asked of it fails. Without a listener the event would end the process.
    client.on('error', () => {});
  });
  pool.on('remove', (client) => open.delete(client));
  const workers = new Set<JobWorker>();
  return {
    kind: 'postgres',
    async prepare() {
      const client = await pool.connect();
      try {
        await runMigrations(client, SCHEMA);
      } finally {
        client.release();
      }
    },
    async ping() {
      await pool.query('select 1');
    },
    peer: async () => null,
    queue: (name) => new Queue(name, { connection: pool }, createPostgresBackend) as unknown as JobQueue,
    worker(name, processor, settings) {
      const options = { ...settings, connection: pool };
      const worker = new Worker(name, processor, options, createPostgresBackend) as unknown as JobWorker;
      workers.add(worker);
      worker.on('closed', () => workers.delete(worker));
      return worker;
    },
    async states(queues) {
      return (await pool.query<QueueState>(STATES, [queues.map(({ name }) => name)])).rows;
    },
    async close() {
      // One that still runs would ask the closed pool for jobs again and again, without a pause.
      for (const worker of workers) void worker.close(true);
      // The pool waits for every connection to be given back.
      const closed = pool.end().then(() => true);
      if (await Promise.race([closed, delay(CLOSE_MS, false, { ref: false })])) return;
      logger.warn({ connections: open.size }, 'queue connections were still in use');
      for (const client of open) void (client as pg.PoolClient & pg.Client).end().catch(logDrop);
    },
  };
}

function redisBackend(url: string): QueueBackend {
  const connection = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: false });
  connection.on('error', logDrop);
  connection.setMaxListeners(200);
  const prefix = 'fabric';
  return {
    kind: 'redis',
    async prepare() {},
    async ping() {
      await connection.ping();
    },
    async peer() {
      await connection.ping();
      const { localAddress, remoteAddress, remotePort } = connection.stream;
      if (!remoteAddress || !remotePort) throw new Error('expected a connection to Redis to have an address');
      return { local: localAddress ?? null, remote: remoteAddress, port: remotePort };
    },
    queue: (name) => new Queue(name, { connection, prefix }) as unknown as JobQueue,
    worker: (name, processor, settings) =>
      new Worker(name, processor, { ...settings, connection, prefix }) as unknown as JobWorker,
    states: (queues) => Promise.all(queues.map(readState)),
    async close() {
      connection.disconnect();
    },
  };
}

/** Makes a backend: Redis when a Redis URL is given, else the database. */
export function makeQueueBackend(urls: { REDIS_URL?: string; DATABASE_URL?: string }): QueueBackend {
  if (urls.REDIS_URL) return redisBackend(urls.REDIS_URL);
  if (urls.DATABASE_URL) return postgresBackend(urls.DATABASE_URL);
  throw new Error('Neither REDIS_URL nor DATABASE_URL is set: the job queues require one of them');
}

/** This process's queue backend, chosen by the environment on first use. */
export const queueBackend = lazy(() => makeQueueBackend(env()));
