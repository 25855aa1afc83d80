import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { answerApi } from '@/server/api/answer-api';
import { STAMPED } from '@/server/auth/origin';
import { logger } from '@/server/lib/logger';
import { ownMetrics } from '@/server/lib/metrics';
import type { HeavyThreadData } from './heavy-thread';
import { lowerBackendPriority } from './lower-backends';
import { serveHandler } from './serve-handler';

/*
 * The thread of the web process that answers heavy requests, so that they neither block its event loop nor use its
 * database connections. It serves the same two surfaces on a loopback port, only to a client that knows the secret of
 * this start: the web process.
 */
const { secret, embedded } = workerData as HeavyThreadData;
/** Twice what the entry takes, which adds some. */
const MAX_HEADER_BYTES = 32_768;
/** Of this thread only (Linux): where processors are short, light requests come first. */
const NICENESS = 10;
try {
  setPriority(NICENESS);
} catch (error) {
  logger.debug({ err: error }, 'cannot lower the priority of the thread');
}
// What the entry of the web process stamped is passed on by it.
Reflect.set(globalThis, STAMPED, true);

/** An own database shares the processors. */
const onRequest = embedded ? lowerBackendPriority(NICENESS) : () => {};

async function answer(request: Request): Promise<Response> {
  if (request.headers.get('x-fabric-heavy') !== secret) return new Response(null, { status: 403 });
  if (new URL(request.url).pathname === '/metrics') return Response.json(await ownMetrics());
  onRequest();
  return answerApi(request);
}

const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, serveHandler(answer));
// A connection that is kept must not end in the moment in which it is used again.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
