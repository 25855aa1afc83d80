import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { type AgentStatus, readStateFile, writeStateFile } from './agent-status';
import { Collectors } from './collectors';
import { type Config, paths } from './config';
import { isLogPositions, NO_POSITIONS } from './logs/log-positions';
import { monotonic } from './sys/clock';
import { errnoCode } from './sys/errno';
import type { Logger } from './sys/logger';
import { releaseProgramPages } from './sys/release-memory';
import { addJitter } from './transport/backoff';
import { Delivery, type Outcome } from './transport/delivery';
import type { Server } from './transport/post';
import { Spool } from './transport/spool';

/** After the start, and once an hour: what ran in between may not run again. */
const BEATS_BETWEEN_RELEASES = 120;

/** The running agent: observes, reports at each interval, and leaves nothing unsaved at the end. */
export class Agent {
  private readonly collectors: Collectors;
  private readonly delivery: Delivery;
  private readonly spool: Spool;
  private interval: number;
  private lastReason: string | null = null;
  private readonly status: AgentStatus;

  /** @throws Error when the state directory cannot be used or there is no machine id */
  constructor(
    private readonly config: Config,
    server: Server,
    private readonly logger: Logger,
  ) {
    this.interval = config.interval_seconds;
    this.spool = new Spool(paths.spool(config));
    const positions = readStateFile(paths.positions(config), isLogPositions) ?? NO_POSITIONS;
    this.collectors = new Collectors(config, positions);
    this.delivery = new Delivery(server, () => readNodeToken(config), this.spool);
    this.status = {
      started_at: new Date().toISOString(),
      pid: process.pid,
      server_url: server.url.href,
      last_acknowledged_at: null,
      last_flows: null,
      last_problem: null,
      collectors: [],
    };
  }

  /** Runs until the signal; then reports what is left. */
  async run(stop: AbortSignal): Promise<void> {
    this.collectors.start();
    this.saveStatus();
    this.logger.info(`reporting to ${this.status.server_url} every ${this.interval} s`);
    // Agents started together, after a power cut say, must not report together.
    // Enough for a first look at running traffic, and short for a user waiting at the installer.
    await pause(Math.random() * Math.min(AGENT_LIMITS.first_heartbeat_seconds, this.interval) * 1000, stop);
    let beats = 0;
    while (!stop.aborted) {
      const started = monotonic();
      await this.beat();
      if (beats % BEATS_BETWEEN_RELEASES === 0) this.releaseMemory();
      beats += 1;
      await pause(Math.max(1000, addJitter(this.interval * 1000) - (monotonic() - started)), stop);
    }
    const { heartbeat, positions } = await this.collectors.heartbeat(this.interval);
    this.delivery.store(heartbeat);
    writeStateFile(paths.positions(this.config), positions);
    await this.collectors.stop();
    this.logger.info('stopped');
  }

  private releaseMemory(): void {
    try {
      releaseProgramPages();
    } catch (error) {
      // Without koffi.
      this.logger.debug(`cannot release memory: ${error instanceof Error ? error.message : error}`);
    }
  }

  private async beat(): Promise<void> {
    try {
      const { heartbeat, positions } = await this.collectors.heartbeat(this.interval);
      const outcome = await this.delivery.deliver(heartbeat);
      writeStateFile(paths.positions(this.config), positions);
      this.status.collectors = heartbeat.flow_diagnostics?.collectors ?? [];
      this.status.last_flows = heartbeat.flows.length;
      this.note(outcome);
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error));
    }
    this.saveStatus();
  }

  private note(outcome: Outcome): void {
    if (outcome.kind !== 'delivered') {
      this.report(outcome.reason);
      return;
    }
    const { answer } = outcome;
    this.interval = answer.next_interval_seconds;
    this.status.last_acknowledged_at = new Date().toISOString();
    this.report(null);
    this.logger.debug(`accepted ${answer.accepted}, updated ${answer.updated}, rejected ${answer.rejected.length}`);
    const [first] = answer.rejected;
    if (first)
      this.logger.warning(`the server rejected ${answer.rejected.length} flows; first reason: ${first.reason}`);
  }

  /** Logs a problem when it begins, changes or ends, not at every heartbeat. */
  private report(reason: string | null): void {
    this.status.last_problem = reason;
    const isNews = reason !== this.lastReason && !(reason?.startsWith('waiting') && this.lastReason !== null);
    if (!isNews) return;
    this.lastReason = reason;
    if (reason === null) this.logger.info('the server acknowledges heartbeats');
    else this.logger.warning(`heartbeat not delivered, ${this.spool.size} spooled: ${reason}`);
  }

  private saveStatus(): void {
    try {
      writeStateFile(paths.status(this.config), this.status, 0o644);
    } catch (error) {
      this.logger.debug(`cannot write the status file: ${errnoCode(error) ?? error}`);
    }
  }
}

/** The node's token. Read for each heartbeat, so re-enrollment needs no restart. @throws Error with the remedy */
export function readNodeToken(config: Config): string {
  try {
    const token = readFileSync(paths.nodeToken(config), 'utf8').trim();
    if (token !== '') return token;
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
  throw new Error(
    `this node is not enrolled (no ${paths.nodeToken(config)}): run fabric-agent enrol with a token of the service`,
  );
}

/** Waits, or returns immediately when stopped. */
async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: stop });
  } catch {
    // Stopped.
  }
}
