import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startIngestWorld } from './ingest-world';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * Whether pruning blocks heartbeats: npx tsx bench/prune.ts [expired rows] [heartbeats per second] [rows that stay]
 * Heartbeats come at a steady rate, at first alone, then while the retention job deletes the expired rows.
 * Bar: p95 of the heartbeats during pruning at most twice the p95 without.
 */
const [expired = 1_000_000, perSecond = 4, staying = 200_000] = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const ALONE_SECONDS = 30;
const MAX_SECONDS = 900;

const world = await startIngestWorld();
try {
  // The flows of the heartbeats are among those that stay, or new.
  const first = await world.preload(expired, 25 * 60);
  const perNode = await world.preload(expired + staying, 30, expired);
  await world.send({ first, perNode, heartbeats: 64, perSecond });
  const alone = await world.send({ first, perNode, heartbeats: ALONE_SECONDS * perSecond, perSecond });

  const worker = fork(fileURLToPath(new URL('./prune-worker.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await new Promise((resolve) => worker.once('message', resolve));
  const pruned = new Promise<{ ms: number; deleted: number }>((resolve) => {
    worker.on('message', (answer) => resolve(answer as { ms: number; deleted: number }));
  });
  const guess = Math.min(MAX_SECONDS, Math.max(20, Math.ceil(expired / 15_000)));
  const during = await world.send({ first, perNode, heartbeats: guess * perSecond, perSecond }, () =>
    worker.send('go'),
  );
  const { ms: pruneMs, deleted } = await pruned;
  const within = during.sent.filter((one) => one.at < pruneMs);

  const bad = [...alone.sent, ...during.sent].filter((one) => one.status !== 200).length;
  const lines = [
    ['alone', alone.sent],
    ['during pruning', within],
  ] as const;
  const rows = lines.map(([name, sent]) => ({ name, count: sent.length, ...summary(sent.map((one) => one.ms)) }));
  printTable(
    ['heartbeats', 'number', 'median', 'p95', 'max'],
    rows.map((row) => [row.name, String(row.count), ms(row.median), ms(row.p95), ms(row.max)]),
  );
  console.log(`${deleted} rows deleted in ${ms(pruneMs)}: ${((deleted / pruneMs) * 1000).toFixed(0)}/s`);
  expectBar('every heartbeat was stored', bad === 0);
  expectBar('enough heartbeats came during pruning to tell', within.length >= 20);
  expectBar('p95 during pruning at most 2 x without', (rows[1]?.p95 ?? Infinity) <= 2 * (rows[0]?.p95 ?? 0));
} finally {
  await world.stop();
}
