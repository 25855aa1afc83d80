import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { answerApi } from '@/server/api/answer-api';
import { keepReporting } from '@/server/enforcement/own-connections/report-process';
import { assertServiceEnv, EMBEDDED_ARGUMENT, env, setVariables } from '@/server/lib/env';
import { refuseStart, reportReady } from './child-process';
import { startHeavyThread } from './heavy-thread';
import { installHttpEntry } from './http-entry';
import { findFreePort } from './postgres/server';
import { prepareStores } from './prepare-stores';
import { serveHandler } from './serve-handler';

const STOP_MS = 4_000;
const HEAVY = new URL('./heavy.mjs', import.meta.url);
const SERVER = fileURLToPath(new URL('../.next/standalone/server.js', import.meta.url));

/** Resolves when the service answers that requests will succeed. */
async function waitUntilReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/v1/health/ready`).catch(() => null);
    if (response?.ok) return;
    await delay(100);
  }
}

// On a machine with much memory V8 lets a heap grow to four times what is in use before it collects it; both threads have one.
setFlagsFromString('--heap-growing-percent=60');

try {
  const environment = env();
  const embedded = process.argv.includes(EMBEDDED_ARGUMENT);
  assertServiceEnv(environment, embedded);
  const { DATABASE_URL, REDIS_URL, PORT, HOST, FABRIC_TRUSTED_PROXIES } = environment;
  await prepareStores({ DATABASE_URL, REDIS_URL });
  const port = PORT === 0 ? await findFreePort() : PORT;
  // Streams (progress, live views) stay open; without a limit they would hold the process for as long as a page is open.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => setTimeout(() => process.exit(0), STOP_MS).unref());
  setVariables({ PORT: String(port), HOSTNAME: HOST, NEXT_TELEMETRY_DISABLED: '1' });
  const { forward } = await startHeavyThread(HEAVY, embedded);
  installHttpEntry(FABRIC_TRUSTED_PROXIES, { api: serveHandler(answerApi), heavy: forward });
  await import(pathToFileURL(SERVER).href);
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST;
  const literal = host.includes(':') ? `[${host}]` : host;
  await waitUntilReady(`http://${literal}:${port}`);
  // Where the environment gives no setup code, a first run makes one and logs it when it is first asked for.
  await fetch(`http://${literal}:${port}/api/v1/setup/status`).catch(() => {});
  keepReporting('web', port);
  reportReady({ url: `http://${HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : literal}:${port}` });
} catch (error) {
  refuseStart(error);
}
