import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from '@/domain/durations';
import type { OWN_PROCESSES, ProcessReport } from '@/domain/own-connections/own-workloads';
import { db } from '../../db/client';
import { makeQueueBackend } from '../../jobs/backend';
import { clock } from '../../lib/clock';
import { env } from '../../lib/env';
import { logger } from '../../lib/logger';
import { findDatabasePeer, listApiUrls, listPublicUrls, storeOwnProcess } from '../queries/own-processes';

type Kind = (typeof OWN_PROCESSES)[number];
type Reported = ProcessReport['clusters'][number];

/** How often a process reports. Addresses of running processes rarely change. */
const REPORT_MS = 5 * MINUTE_MS;
/** A process without a report for this long is gone. */
export const GONE_MS = 3 * REPORT_MS;

const REDIS_MS = 10_000;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** The address from which this machine reaches another one: the one that the system would bind. No packet is sent. */
async function localAddressTo(remote: string, port: number): Promise<string | null> {
  const socket = createSocket(isIPv6(remote) ? 'udp6' : 'udp4');
  try {
    socket.connect(port, remote);
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    // No route to it.
    return null;
  } finally {
    socket.close();
  }
}

const getUrlPort = ({ port, protocol }: URL) => Number(port) || (protocol === 'http:' ? 80 : 443);

/** All addresses of the host of a URL; none when its name does not resolve. */
async function resolveHostAddresses({ hostname: host }: URL): Promise<string[]> {
  const found = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

async function clusterConnections(): Promise<Reported[]> {
  const found = await Promise.all(
    (await listApiUrls(db)).flatMap((text) => {
      const url = URL.parse(text);
      return url
        ? [resolveHostAddresses(url).then((list) => list.map((remote) => ({ remote, port: getUrlPort(url) })))]
        : [];
    }),
  );
  return Promise.all(
    found.flat().map(async ({ remote, port }) => ({ local: await localAddressTo(remote, port), remote, port })),
  );
}

async function redisConnection(): Promise<Reported | null> {
  const { REDIS_URL } = env();
  if (!REDIS_URL) return null;
  const backend = makeQueueBackend({ REDIS_URL });
  const timeout = new AbortController();
  try {
    const late = delay(REDIS_MS, null, { signal: timeout.signal }).then(() => {
      throw new Error('Redis does not answer');
    });
    return await Promise.race([backend.peer(), late]);
  } finally {
    timeout.abort();
    await backend.close();
  }
}

function listener(port: number): ProcessReport['listens'] {
  const { HOST } = env();
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const addresses = EVERY_ADDRESS.includes(HOST) ? all.map(({ address }) => address) : [HOST];
  return { addresses, port };
}

async function publicListener(): Promise<ProcessReport['public']> {
  for (const text of await listPublicUrls(db)) {
    const url = URL.parse(text);
    const addresses = url ? await resolveHostAddresses(url) : [];
    if (url && addresses.length > 0) return { addresses, port: getUrlPort(url) };
  }
  return null;
}

/** The connections of this process, as its own sockets, the database and the names of the others say. @param port where it listens; null: nowhere */
export async function observeProcess(port: number | null): Promise<ProcessReport> {
  const [peer, redis, clusters, reached] = await Promise.all([
    findDatabasePeer(db),
    redisConnection(),
    clusterConnections(),
    port === null ? null : publicListener(),
  ]);
  const { remote, port: databasePort, local } = peer;
  return {
    database: remote === null || databasePort === null ? null : { local, remote, port: databasePort },
    redis,
    clusters,
    listens: port === null ? null : listener(port),
    public: reached,
  };
}

/** Stores the connections of a process of this installation. */
export async function storeReport(kind: Kind, report: ProcessReport, id = `${hostname()}:${process.pid}`) {
  const now = clock.now();
  const row = { id, kind, report, reported_at: now.toISOString() };
  await storeOwnProcess(db, row, new Date(now.getTime() - GONE_MS).toISOString());
}

/** Reports the connections of this process now and from time to time. A report that fails is made again. @param port where it listens */
export function keepReporting(kind: Kind, port: number | null = null): void {
  const report = async () => {
    try {
      await storeReport(kind, await observeProcess(port));
    } catch (error) {
      logger.warn({ err: error }, 'cannot report the connections of this process');
    }
  };
  void report();
  setInterval(() => void report(), REPORT_MS).unref();
}
