import { AppError } from '../lib/errors';

/**
 * Who asks: limits are per account and per tenant, and both get their turns in rotation. An account that asks for several tenants is one
 * account all the same.
 */
export type Asker = { readonly account: string; readonly tenant: string };

export type GateLimits = {
  /** Concurrent requests: in total, per tenant, per account. */
  readonly running: number;
  readonly per_tenant: number;
  readonly per_account: number;
  /** In the queue: per tenant, per account. No tenant or account can fill the share of another. */
  readonly waiting_per_tenant: number;
  readonly waiting_per_account: number;
  /** The longest anyone waits (ms). */
  readonly wait_ms: number;
};

/** Error messages for refused requests. */
export type GateTexts = { readonly queue_full: string; readonly waited_too_long: string };

/** What happened at the gate, for the metrics. */
export type GateObserver = (event: { running: number; waiting: number; refused?: keyof GateTexts }) => void;

type Waiter = { readonly asker: Asker; readonly grant: () => void };
type Count = { running: number; waiting: number };
/** Who waits, by account in the order of their turns. */
type Tenant = Count & { readonly accounts: Map<string, Set<Waiter>> };

const RETRY_SECONDS = 5;

function getOrSet<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * Admits expensive work: a few requests concurrently, tenants in turn and accounts in turn within each tenant, so an
 * account that sends many only delays itself. Requests that wait too long, or exceed the queue limit, are refused.
 */
export class FairGate {
  readonly #limits: GateLimits;
  readonly #texts: GateTexts;
  readonly #observe: GateObserver;
  /** In the order of their turns: the most recently admitted is last. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #accounts = new Map<string, Count>();
  readonly #all: Count = { running: 0, waiting: 0 };

  constructor(limits: GateLimits, texts: GateTexts, observe: GateObserver = () => {}) {
    this.#limits = limits;
    this.#texts = texts;
    this.#observe = observe;
  }

  /**
   * Runs work when its turn comes.
   * @param restMs for how long the caller gets no other slot afterwards, while others get this one
   * @throws AppError `too_many_requests`; the reason of the signal when it aborts in the queue
   */
  async run<T>(
    asker: Asker,
    signal: AbortSignal | null,
    work: () => Promise<T>,
    restMs: (result: T) => number = () => 0,
  ): Promise<T> {
    const leave = await this.enter(asker, signal);
    let rest = 0;
    try {
      const result = await work();
      rest = restMs(result);
      return result;
    } finally {
      leave(rest);
    }
  }

  /**
   * Waits for a place. @returns what gives it back; to be called when the work has ended, calling it again does nothing
   * @throws AppError `too_many_requests`; the reason of the signal when it aborts in the queue
   */
  async enter(asker: Asker, signal: AbortSignal | null): Promise<(restMs?: number) => void> {
    signal?.throwIfAborted();
    // Requests do not wait while a slot is free for them, so the first one in an idle gate need not queue.
    if (this.#isFree(asker)) this.#take(asker);
    else await this.#wait(asker, signal);
    let left = false;
    return (restMs = 0) => {
      if (left) return;
      left = true;
      this.#all.running -= 1;
      if (restMs <= 0) return this.#release(asker);
      setTimeout(() => this.#release(asker), restMs).unref();
      this.#admitNext();
    };
  }

  #placeOf(asker: Asker): { tenant: Tenant; account: Count; waiting: Set<Waiter> } {
    const tenant = getOrSet(this.#tenants, asker.tenant, () => ({ running: 0, waiting: 0, accounts: new Map() }));
    const account = getOrSet(this.#accounts, asker.account, () => ({ running: 0, waiting: 0 }));
    return { tenant, account, waiting: getOrSet(tenant.accounts, asker.account, () => new Set()) };
  }

  #count(asker: Asker, what: keyof Count, by: 1 | -1): void {
    const { tenant, account } = this.#placeOf(asker);
    this.#all[what] += by;
    tenant[what] += by;
    account[what] += by;
  }

  #isFree(asker: Asker): boolean {
    const tenant = this.#tenants.get(asker.tenant)?.running ?? 0;
    const account = this.#accounts.get(asker.account)?.running ?? 0;
    const { running, per_tenant, per_account } = this.#limits;
    return this.#all.running < running && tenant < per_tenant && account < per_account;
  }

  /** Takes a place and goes to the end of both rotations. */
  #take(asker: Asker): void {
    const { tenant, waiting } = this.#placeOf(asker);
    this.#count(asker, 'running', 1);
    this.#tenants.delete(asker.tenant);
    this.#tenants.set(asker.tenant, tenant);
    tenant.accounts.delete(asker.account);
    if (waiting.size > 0) tenant.accounts.set(asker.account, waiting);
    this.#tell();
  }

  #wait(asker: Asker, signal: AbortSignal | null): Promise<void> {
    const { tenant, account, waiting } = this.#placeOf(asker);
    const { waiting_per_account, waiting_per_tenant, wait_ms } = this.#limits;
    if (account.waiting >= waiting_per_account || tenant.waiting >= waiting_per_tenant) {
      this.#forget(asker);
      this.#tell('queue_full');
      throw this.#refusal('queue_full');
    }
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        waiting.delete(waiter);
        this.#count(asker, 'waiting', -1);
      };
      const waiter: Waiter = {
        asker,
        grant: () => {
          stop();
          this.#take(asker);
          resolve();
        },
      };
      const abort = () => {
        stop();
        this.#forget(asker);
        this.#tell();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        stop();
        this.#forget(asker);
        this.#tell('waited_too_long');
        reject(this.#refusal('waited_too_long'));
      }, wait_ms);
      signal?.addEventListener('abort', abort, { once: true });
      // A new waiter comes after those already waiting.
      if (tenant.waiting === 0) {
        this.#tenants.delete(asker.tenant);
        this.#tenants.set(asker.tenant, tenant);
      }
      waiting.add(waiter);
      this.#count(asker, 'waiting', 1);
      this.#tell();
    });
  }

  /** Gives back the parts of the tenant and the account. */
  #release(asker: Asker): void {
    const { tenant, account } = this.#placeOf(asker);
    tenant.running -= 1;
    account.running -= 1;
    this.#forget(asker);
    this.#admitNext();
  }

  /** Gives free places to those whose turn it is. */
  #admitNext(): void {
    for (let next = this.#next(); next; next = this.#next()) next.grant();
    this.#tell();
  }

  #next(): Waiter | null {
    if (this.#all.running >= this.#limits.running) return null;
    for (const tenant of this.#tenants.values()) {
      if (tenant.waiting === 0) continue;
      for (const [first] of tenant.accounts.values()) if (first && this.#isFree(first.asker)) return first;
    }
    return null;
  }

  /** Nothing is kept of those who neither run nor wait. */
  #forget(asker: Asker): void {
    const { tenant, account, waiting } = this.#placeOf(asker);
    const isIdle = ({ running, waiting }: Count) => running === 0 && waiting === 0;
    if (waiting.size === 0) tenant.accounts.delete(asker.account);
    if (isIdle(account)) this.#accounts.delete(asker.account);
    if (isIdle(tenant)) this.#tenants.delete(asker.tenant);
  }

  #refusal(reason: keyof GateTexts): AppError {
    const options = { retryAfterSeconds: RETRY_SECONDS, extra: { reason: 'busy' } };
    return new AppError('too_many_requests', this.#texts[reason], options);
  }

  #tell(refused?: keyof GateTexts): void {
    this.#observe({ ...this.#all, ...(refused && { refused }) });
  }
}
