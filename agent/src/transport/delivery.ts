import { gzipSync } from 'node:zlib';
import type { Heartbeat, HeartbeatAnswer } from '@fabric/agent-contract';
import { AGENT_LIMITS, AGENT_PATHS, AGENT_VERSION } from '@fabric/agent-contract/limits';
import { type Clock, monotonic } from '../sys/clock';
import { backoffDelay, retryAfter } from './backoff';
import { type Answer, post, type Server } from './post';
import type { Spool } from './spool';

/** What became of a heartbeat. `stored` waits on disk, `refused` is lost: the server will never take it. */
export type Outcome =
  | { kind: 'delivered'; answer: HeartbeatAnswer }
  | { kind: 'stored'; reason: string }
  | { kind: 'refused'; reason: string };

type Attempt = Exclude<Outcome, { kind: 'stored' }> | { kind: 'retry'; reason: string };

const GZIP_LEVEL = 1;
/** Old heartbeats sent after each fresh one: catching up must not be a burst. */
const BACKLOG_PER_BEAT = 5;
const RETRIED = new Set([408, 429]);
/** Agents that were given the same time do not all come back at it. */
const MOST_OVER_ASKED = 1.5;
/** A server that names a shorter time may be too busy for agents that come back so soon again and again: their pause still grows to this. */
const LEAST_OF_MOST_MS = 45_000;

/**
 * Delivers heartbeats. When the server cannot be reached they are kept on disk, and attempts become rarer; with the next
 * success the backlog follows, newest first, a few per heartbeat.
 */
export class Delivery {
  private failures = 0;
  private notBefore = 0;

  constructor(
    private readonly server: Server,
    private readonly token: () => string,
    private readonly spool: Spool,
    private readonly clock: Clock = monotonic,
    private readonly random: () => number = Math.random,
  ) {}

  /** Never throws for reasons of the network; @throws Error of the system when the spool cannot be written */
  async deliver(heartbeat: Heartbeat): Promise<Outcome> {
    const body = gzipSync(JSON.stringify(heartbeat), { level: GZIP_LEVEL });
    if (this.clock() < this.notBefore) {
      this.spool.put(body);
      return { kind: 'stored', reason: 'waiting after a failure' };
    }
    const attempt = await this.attempt(body);
    if (attempt.kind === 'retry') {
      this.spool.put(body);
      return { kind: 'stored', reason: attempt.reason };
    }
    if (attempt.kind === 'delivered') await this.deliverBacklog();
    return attempt;
  }

  /** Stores a heartbeat without trying, for the last one before the end. */
  store(heartbeat: Heartbeat): void {
    this.spool.put(gzipSync(JSON.stringify(heartbeat), { level: GZIP_LEVEL }));
  }

  private async deliverBacklog(): Promise<void> {
    for (let sent = 0; sent < BACKLOG_PER_BEAT; sent += 1) {
      const entry = this.spool.newest();
      if (!entry) return;
      const attempt = await this.attempt(entry.body);
      if (attempt.kind === 'retry') return;
      this.spool.remove(entry.name);
    }
  }

  private async attempt(body: Buffer): Promise<Attempt> {
    let answer: Answer;
    try {
      const options = { token: this.token(), isGzip: true, agentVersion: AGENT_VERSION };
      answer = await post(this.server, AGENT_PATHS.heartbeat, body, options);
    } catch (error) {
      return this.failed(error instanceof Error ? error.message : String(error), null);
    }
    const { status } = answer;
    const isSuccess = status >= 200 && status < 300;
    const stored = isSuccess ? readAnswer(answer.body) : null;
    if (stored) {
      this.failures = 0;
      this.notBefore = 0;
      return { kind: 'delivered', answer: stored };
    }
    const reason = isSuccess
      ? `the answer (${status}) is not from Fabric: check server_url, and proxies before the service`
      : explainStatus(answer);
    if (status >= 400 && status < 500 && !RETRIED.has(status)) return { kind: 'refused', reason };
    return this.failed(reason, retryAfter(answer.retryAfter, Date.now()));
  }

  private failed(reason: string, asked: number | null): Attempt {
    // A server that says when it can be asked again sees from the attempts that this agent runs.
    const most = asked === null ? undefined : Math.max(MOST_OVER_ASKED * asked, LEAST_OF_MOST_MS);
    const delay = Math.max(asked ?? 0, backoffDelay(this.failures, this.random, most));
    this.failures += 1;
    this.notBefore = this.clock() + delay;
    return { kind: 'retry', reason };
  }
}

/**
 * The server's answer, parsed manually and bounded: the schema library is not worth its size here.
 * @returns null when it does not say what was stored, as every version of the service does: a proxy or another service sent it
 */
export function readAnswer(body: unknown): HeartbeatAnswer | null {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const count = (name: string): number | null => (Number.isSafeInteger(fields[name]) ? (fields[name] as number) : null);
  const accepted = count('accepted');
  const updated = count('updated');
  if (accepted === null || updated === null || !Array.isArray(fields.rejected)) return null;
  const { minimum, default: usual, maximum } = AGENT_LIMITS.interval_seconds;
  const requested = count('next_interval_seconds') ?? 0;
  return {
    accepted,
    updated,
    rejected: fields.rejected.slice(0, AGENT_LIMITS.flows_per_heartbeat).flatMap((entry: unknown) => {
      const { index, reason } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
      return typeof index === 'number' && typeof reason === 'string' ? [{ index, reason: reason.slice(0, 200) }] : [];
    }),
    next_interval_seconds: requested === 0 ? usual : Math.min(Math.max(requested, minimum), maximum),
  };
}

function explainStatus({ status, body }: Answer): string {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const detail = typeof fields.detail === 'string' ? `: ${fields.detail.slice(0, 200)}` : '';
  if (status === 401 || status === 403) {
    return `the server rejected the node token (${status})${detail}. Enroll again: create a new install command and run it`;
  }
  if (status === 404) return `the server has no such path (404): check server_url`;
  return `the server returned ${status}${detail}`;
}
