import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { SECOND_MS } from '@/domain/durations';
import { formatHostPort } from '@/domain/net/host-port';
import { parseIp } from '@/domain/net/ip-address';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { findPgError } from '../../lib/pg-errors';
import { deleteCollector, listAllowedExporters, reportCollector } from '../queries/flow-exporters';
import { type Batch, Intake } from './intake';
import { storeBatch } from './store-batch';

/** What arrives is stored this often. */
const FLUSH_MS = 5 * SECOND_MS;
/** After so many failed attempts a batch is dropped. */
const MOST_ATTEMPTS = 120;
/** The system's buffer for what arrives while this process is busy; the system may permit less. */
const BUFFER_BYTES = 8 * 1024 * 1024;

/** The database refuses the content of a batch (classes 22 and 23 of SQLSTATE): another attempt would fail as well. */
const isRefused = (error: unknown): boolean => /^2[23]/.test(findPgError(error)?.code ?? '');

export type Collector = {
  /** Where it listens. */
  address: { host: string; port: number };
  /** Stores what has arrived; resolves when that was attempted. */
  flush(): Promise<void>;
  /** Stops listening, and stores what has arrived. */
  close(): Promise<void>;
};

/** Opens a socket. */
type Listen = (host: string, port: number) => Promise<Socket>;

const listen: Listen = async (host, port) => {
  const type = parseIp(host)?.family === 6 ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: BUFFER_BYTES });
  socket.bind(port, host);
  await once(socket, 'listening');
  return socket;
};

/** Stores batches in their order until one fails; keeps the rest. */
async function storeAll(intake: Intake, waiting: { batch: Batch; attempts: number }[]): Promise<void> {
  for (;;) {
    const [next] = waiting;
    if (!next) return;
    try {
      await storeBatch(next.batch);
      intake.settle(next.batch, true);
    } catch (error) {
      // The store of flows that does not answer takes what is stored for it later.
      if (!(error instanceof AppError && error.code === 'unavailable')) next.attempts += 1;
      const isDropped = isRefused(error) || next.attempts >= MOST_ATTEMPTS;
      logger[isDropped ? 'error' : 'warn'](
        { err: error, exporter_id: next.batch.exporter.id, flows: next.batch.flows.length, attempts: next.attempts },
        isDropped ? 'records of an exporter dropped' : 'cannot store records of an exporter',
      );
      if (!isDropped) return;
      intake.settle(next.batch, false);
    }
    waiting.shift();
  }
}

/**
 * Receives datagrams of exporters, and stores every few seconds what they report.
 * @param open for tests whose socket is in another network namespace
 * @throws Error when the address cannot be used
 */
export async function startCollector(
  { host, port }: { host: string; port: number },
  open: Listen = listen,
): Promise<Collector> {
  const intake = new Intake();
  intake.allow(await listAllowedExporters());
  const socket = await open(host, port);
  const address = { host, port: socket.address().port };
  const id = `${hostname()}:${newId()}`;
  const started_at = clock.now().toISOString();
  socket.on('message', (bytes, { address: sender }) => intake.receive(bytes, sender, clock.now().getTime()));
  socket.on('error', (error) => logger.error({ err: error }, 'collector socket failed'));

  const waiting: { batch: Batch; attempts: number }[] = [];
  const report = () =>
    reportCollector(
      {
        ...{ id, listens: formatHostPort(host, address.port), started_at, seen_at: clock.now().toISOString() },
        ...intake.totals,
      },
      intake.drainRefused(),
    );
  const store = async () => {
    await storeAll(intake, waiting);
    // While the database does not answer, nothing leaves the intake, which bounds what is kept.
    if (waiting.length > 0) return;
    waiting.push(...intake.drain().map((batch) => ({ batch, attempts: 0 })));
    await storeAll(intake, waiting);
    await report();
    intake.allow(await listAllowedExporters());
  };
  let running: Promise<void> = Promise.resolve();
  const flush = () => {
    running = running.then(() =>
      store().catch((error: unknown) => logger.warn({ err: error }, 'collector cannot reach the database')),
    );
    return running;
  };
  await flush();
  const timer = setInterval(() => void flush(), FLUSH_MS);
  return {
    address,
    flush,
    async close() {
      clearInterval(timer);
      const closed = once(socket, 'close');
      socket.close();
      await closed;
      await flush();
      await deleteCollector(id).catch(() => undefined);
    },
  };
}
