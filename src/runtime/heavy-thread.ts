import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import { childEnvironment } from '@/server/lib/env';
import { AppError } from '@/server/lib/errors';
import { logger } from '@/server/lib/logger';
import { setOtherMetrics } from '@/server/lib/metrics';
import { sendProblem } from './request-guard';

/** `embedded`: the database is our own, on this machine. */
export type HeavyThreadData = { secret: string; embedded: boolean };

/** Connections of the thread for light queries: the session, and the other calls of a batch. */
const LIGHT_CONNECTIONS = 2;
/** The default is 48 (three semi-spaces of 16); the pages of two of them stay resident. A smaller one takes no more processor time here (MiB). */
const YOUNG_MIB = 12;
const RESTART_MS = 500;
const METRICS_MS = 250;
const HOST = '127.0.0.1';

/** Headers that belong to one connection. */
const HOP = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'proxy-connection'];

export type HeavyThread = {
  /** Has the thread answer a request. */
  forward(request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }): void;
  stop(): Promise<void>;
};

/**
 * Starts the thread for heavy requests, and again when it ends; until it is up again they get a 503.
 * @param file its program
 * @param embedded whether the database is the embedded one, on this machine
 */
export async function startHeavyThread(file: string | URL, embedded = false): Promise<HeavyThread> {
  const agent = new http.Agent({ keepAlive: true });
  const secret = randomBytes(24).toString('base64url');
  let port: number | null = null;
  let worker: Worker;
  let stopped = false;

  const start = (onReady: () => void = () => {}): void => {
    const workerData: HeavyThreadData = { secret, embedded };
    worker = new Worker(file, {
      workerData,
      env: childEnvironment({ DATABASE_POOL_SIZE: String(LIGHT_CONNECTIONS) }),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.unref();
    worker.on('message', (message: number) => {
      port = message;
      onReady();
    });
    worker.on('error', (error) => logger.error({ err: error }, 'the thread for heavy requests failed'));
    worker.on('exit', () => {
      port = null;
      if (!stopped) setTimeout(start, RESTART_MS).unref();
    });
  };
  await new Promise<void>((resolve, reject) => {
    start(resolve);
    worker.once('error', reject);
  });

  const headers = (given: http.IncomingHttpHeaders) => {
    const kept = Object.entries(given).filter(([name]) => !HOP.includes(name));
    return { ...Object.fromEntries(kept), 'x-fabric-heavy': secret };
  };
  setOtherMetrics(async () => {
    const response = await fetch(`http://${HOST}:${port}/metrics`, {
      headers: { 'x-fabric-heavy': secret },
      // While the thread computes it does not answer; a request for metrics does not wait for that.
      signal: AbortSignal.timeout(METRICS_MS),
    });
    return response.json();
  });

  return {
    forward(request, response) {
      if (port === null) return sendProblem(response, unavailable());
      const target = { host: HOST, port, agent, method: request.method, path: request.url };
      const asked = http.request({ ...target, headers: headers(request.headers), setHost: false });
      asked.on('response', (answer) => {
        for (const [name, value] of Object.entries(answer.headers)) {
          if (value !== undefined && !HOP.includes(name)) response.setHeader(name, value);
        }
        response.writeHead(answer.statusCode ?? 502);
        answer.on('error', () => response.destroy());
        answer.on('aborted', () => response.destroy());
        answer.pipe(response);
      });
      asked.on('error', () => {
        if (response.headersSent) response.destroy();
        else sendProblem(response, unavailable());
      });
      // A client that goes away ends what is done for it.
      response.on('close', () => {
        if (!response.writableFinished) asked.destroy();
      });
      request.pipe(asked);
    },
    async stop() {
      stopped = true;
      agent.destroy();
      await worker.terminate();
    },
  };
}

const unavailable = () =>
  new AppError(
    'unavailable',
    'The part of the service that processes heavy requests is restarting. Try again in a moment.',
    {
      retryAfterSeconds: 2,
    },
  );
