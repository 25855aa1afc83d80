import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ProviderError } from '../errors';
import { type ClientOptions, DEFAULT_TIMEOUTS, type Timeouts } from './client-options';
import { createEntries, createWitness, type Entry } from './entry-points';
import { AnswerError } from './errors/classify';
import { blamesEntry, blamesNode, isOutcomeUnknown, isTransient, mayRotate } from './failure-policy';
import { normalizeFingerprint } from './http/certificate-trust';
import { type ApiPath, apiPath, encodeParams, type Params, tokenHeader } from './http/encode';
import { type Envelope, openEnvelope } from './http/envelope';
import type { HttpMethod } from './http/exchange';
import type { Attempt } from './limits/circuit-breaker';
import { type ClusterLimits, shareClusterLimits } from './limits/cluster-limits';

export type PveRequest = {
  method: HttpMethod;
  path: ApiPath;
  params?: Params;
  /** The node that the call is about; it is forwarded there, and counted and guarded under its name. */
  node?: string;
  /** `agent` calls wait for software inside a guest. Default: `read` for GET, else `write`. */
  kind?: Exclude<keyof Timeouts, 'connect'>;
  /** Ask the node meant itself where its address is known, so that a slow call does not hold up the entry node. */
  direct?: boolean;
  /** Runs in the node's root daemon, which has few workers. Writes and agent calls always do. */
  daemon?: boolean;
  /** Writes a firewall file: few concurrently per cluster, whichever node is asked. */
  firewallFile?: boolean;
  /** Ask even what failed a moment ago: the caller needs to know. If it answers, others ask it again as well. */
  insist?: boolean;
};

export type GetOptions = Omit<PveRequest, 'method' | 'path'>;

const NodeFingerprints = z.array(
  z.looseObject({ node: z.string().optional(), ssl_fingerprint: z.string().optional() }).catch({}),
);

/**
 * Calls of one cluster's API: chooses the entry node, enforces the limits, retries reads that may succeed later, and
 * turns every failure into a ProviderError. Writes are never repeated; `detail.outcomeUnknown` shows when one may have
 * happened.
 */
export class PveClient {
  readonly #options: ClientOptions;
  readonly #limits: ClusterLimits;
  readonly #release: () => void;
  readonly #timeouts: Timeouts;
  readonly #secret: string;
  #entries: Entry[] = [];
  #authorization = '';
  /** Why no request is made any more: wrong configuration, a refused token, closed. */
  #stopped: ProviderError | null = null;
  #closed = false;
  readonly #vouching = new Map<string, Promise<boolean>>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#secret = options.access.api_token.split('=').at(-1) ?? '';
    const shared = shareClusterLimits(options.access.key);
    this.#limits = shared.limits;
    this.#release = shared.release;
    try {
      this.#entries = createEntries(options, {
        vouch: (asker, fingerprint) => this.#vouch(asker, fingerprint),
        onRenewed: (renewed) => {
          options.logger.warn({ cluster: options.access.key, ...renewed }, 'the pinned certificate was renewed');
          options.onCertificateRenewed?.(renewed);
        },
      });
      this.#authorization = tokenHeader(options.access.api_token);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#stopped = error;
    }
  }

  /** The node that the administrator named, or null when that is no address. */
  get primary(): Entry | null {
    return this.#entries[0] ?? null;
  }

  /** Whether other nodes can answer in its place. */
  get hasOthers(): boolean {
    return this.#entries.length > 1;
  }

  /** Why no request will be made, or null. */
  get stopped(): ProviderError | null {
    return this.#stopped;
  }

  get(path: ApiPath, options: GetOptions = {}): Promise<Envelope> {
    return this.request({ ...options, method: 'GET', path });
  }

  /** @throws ProviderError */
  async request(request: PveRequest): Promise<Envelope> {
    if (this.#stopped && !(request.insist && this.#stopped instanceof AnswerError)) throw this.#stopped;
    try {
      const call = () => this.#atNode(request, () => this.#throughEntries(request));
      const answer = await (request.firewallFile ? this.#limits.firewallWrites.run(call) : call());
      if (request.insist && this.#stopped instanceof AnswerError) this.#stopped = null;
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // Every further 401 would cost the node 3 seconds and a line in its log.
      if (error.code === 'unauthorized') this.#stopped ??= error;
      if (request.method !== 'GET' && isOutcomeUnknown(error)) error.detail.outcomeUnknown = true;
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#stopped ??= new ProviderError('unreachable', 'expected an open provider', 'Open a new provider.');
    for (const { connection } of this.#entries) connection.close();
    this.#release();
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }

  /** Guards the node meant by a call: its breaker, its daemon's workers, its agents. */
  #atNode(request: PveRequest, work: () => Promise<Envelope>): Promise<Envelope> {
    const { node, kind } = request;
    if (node === undefined) return work();
    const guarded = () => this.#guard(`node:${node}`, node, request, work, (error) => blamesNode(error, request));
    if (!request.daemon && request.method === 'GET' && kind !== 'agent') return guarded();
    const inDaemon = () => this.#limits.daemons.get(node).run(guarded);
    return kind === 'agent' ? this.#limits.agents.get(node).run(inDaemon) : inDaemon();
  }

  /** Runs `work` as an attempt of the breaker `key`; `blames` decides which failures count against its object. */
  async #guard(
    key: string,
    object: string,
    { insist = false }: PveRequest,
    work: () => Promise<Envelope>,
    blames: (error: unknown) => boolean,
  ): Promise<Envelope> {
    const attempt = this.#limits.breakers.get(key).enter(this.#now(), insist);
    if (!attempt && !insist) throw circuitOpen(object);
    try {
      const answer = await work();
      attempt?.succeed();
      return answer;
    } catch (error) {
      this.#conclude(attempt, error, blames(error));
      throw error;
    }
  }

  #conclude(attempt: Attempt | null, error: unknown, blamed: boolean): void {
    // Connections that were closed from here say nothing about the other end, which others may be asking right now.
    if (this.#closed) attempt?.release();
    else if (blamed) attempt?.fail(this.#now());
    else if (error instanceof AnswerError) attempt?.succeed();
    else attempt?.release();
  }

  /** Entry nodes that failed a moment ago come last; the node meant comes first when it is to be asked directly. */
  #order({ direct, node }: PveRequest): Entry[] {
    const now = this.#now();
    const failed = (entry: Entry) => this.#limits.breakers.get(entryKey(entry)).hasRecentFailures(now);
    const elsewhere = (entry: Entry) => direct === true && entry.node !== node;
    return [...this.#entries].sort(
      (a, b) => Number(failed(a)) - Number(failed(b)) || Number(elsewhere(a)) - Number(elsewhere(b)),
    );
  }

  async #throughEntries(request: PveRequest): Promise<Envelope> {
    let telling: unknown;
    for (const entry of this.#order(request)) {
      const { url, host } = entry.connection.target;
      try {
        // The breaker is inside the queue: calls that waited for a dead node learn immediately that it is dead.
        const work = () => this.#repeatedly(entry, request);
        const blames = (error: unknown) => blamesEntry(error, request);
        const guarded = () => this.#guard(entryKey(entry), host, request, work, blames);
        return await this.#limits.entries.get(url).run(guarded);
      } catch (error) {
        const skipped = error instanceof ProviderError && error.code === 'circuit_open';
        const distrusted = error instanceof ProviderError && /^(tls_|target_)/.test(error.code) && !entry.isPrimary;
        if (!skipped && !distrusted && !mayRotate(error, request)) throw error;
        // What the primary says matters most, and anything tried says more than what was not.
        if (telling === undefined || (!skipped && entry.isPrimary) || isSkip(telling)) telling = error;
      }
    }
    throw telling;
  }

  async #repeatedly(entry: Entry, request: PveRequest): Promise<Envelope> {
    try {
      return await this.#once(entry, request);
    } catch (error) {
      if (request.method !== 'GET' || !isTransient(error)) throw error;
      await (this.#options.pause ?? pause)(100 + Math.random() * 300);
      return this.#once(entry, request);
    }
  }

  async #once({ connection }: Entry, { method, path, params, kind, node }: PveRequest): Promise<Envelope> {
    const encoded = encodeParams(params);
    const inBody = method === 'POST' || method === 'PUT';
    const answer = await connection.exchange({
      method,
      path: `/api2/json${path}${!inBody && encoded !== '' ? `?${encoded}` : ''}`,
      authorization: this.#authorization,
      body: inBody ? encoded : null,
      timeoutMs: this.#timeouts[kind ?? (method === 'GET' ? 'read' : 'write')],
    });
    return openEnvelope(answer, this.#secret, node === undefined ? {} : { object: node });
  }

  /** Whether another node that is still trusted knows this certificate as that of a node of the cluster. */
  #vouch(asker: Entry, fingerprint: string): Promise<boolean> {
    const running = this.#vouching.get(fingerprint);
    if (running !== undefined) return running;
    const asked = this.#askOthers(asker, fingerprint).finally(() => this.#vouching.delete(fingerprint));
    this.#vouching.set(fingerprint, asked);
    return asked;
  }

  async #askOthers(asker: Entry, fingerprint: string): Promise<boolean> {
    for (const entry of this.#entries) {
      if (entry === asker) continue;
      const witness = createWitness(this.#options, entry);
      try {
        const answer = await this.#once({ ...entry, connection: witness }, { method: 'GET', path: apiPath`/nodes` });
        const nodes = NodeFingerprints.parse(answer.data);
        const mine = nodes.filter(({ node }) => asker.node === null || node === asker.node);
        if (mine.some((n) => n.ssl_fingerprint && normalizeFingerprint(n.ssl_fingerprint) === fingerprint)) return true;
      } catch {
        // A witness that cannot be asked proves nothing; the next one may.
      } finally {
        witness.close();
      }
    }
    return false;
  }
}

const entryKey = (entry: Entry) => `entry:${entry.connection.target.url}`;
const isSkip = (error: unknown) => error instanceof ProviderError && error.code === 'circuit_open';

const circuitOpen = (object: string) =>
  new ProviderError(
    'circuit_open',
    `${object} failed repeatedly and was not queried again`,
    'Fabric retries within minutes. Check that the node is online.',
    { object },
  );
