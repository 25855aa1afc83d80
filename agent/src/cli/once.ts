import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Heartbeat } from '@fabric/agent-contract';
import { readNodeToken } from '../agent';
import { findRunningAgent } from '../agent-status';
import { Collectors } from '../collectors';
import type { Config } from '../config';
import { NO_POSITIONS } from '../logs/log-positions';
import { Delivery, type Outcome } from '../transport/delivery';
import type { Server } from '../transport/post';
import { Spool } from '../transport/spool';

const OBSERVE_MILLISECONDS = 5000;

/** Observes for a few seconds. Saved log positions are left alone: the running agent owns them. */
async function observe(config: Config): Promise<Heartbeat> {
  const collectors = new Collectors(config, NO_POSITIONS);
  try {
    collectors.start();
    await sleep(OBSERVE_MILLISECONDS);
    return (await collectors.heartbeat(config.interval_seconds)).heartbeat;
  } finally {
    await collectors.stop();
  }
}

/** Shows one heartbeat on standard output. */
export async function printOnce(config: Config): Promise<void> {
  process.stdout.write(`${JSON.stringify(await observe(config), null, 2)}\n`);
}

/** Sends one heartbeat. @throws Error when an agent runs, which reports the same traffic, or the server does not take it */
export async function sendOnce(config: Config, server: Server): Promise<string> {
  const running = findRunningAgent(config);
  if (running !== null) {
    throw new Error(
      `the running agent (process ${running}) reports the same traffic, which would count twice. Stop it first ` +
        '(systemctl stop fabric-agent), or add --print to see a heartbeat without sending it',
    );
  }
  const heartbeat = await observe(config);
  const outcome = await deliverWithoutSpool(config, server, heartbeat);
  if (outcome.kind !== 'delivered') throw new Error(outcome.reason);
  const { accepted, updated, rejected } = outcome.answer;
  return `delivered ${heartbeat.flows.length} flows: ${accepted} new, ${updated} known, ${rejected.length} rejected`;
}

/** The spool belongs to the running agent; what fails here is shown, not kept. */
async function deliverWithoutSpool(config: Config, server: Server, heartbeat: Heartbeat): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'fabric-agent-'));
  try {
    return await new Delivery(server, () => readNodeToken(config), new Spool(directory)).deliver(heartbeat);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
