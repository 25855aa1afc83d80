import { AppError } from '../lib/errors';

/** Who asks: limits are per account and per tenant, and both get their turns in rotation. */
export type Asker = { readonly account: string; readonly tenant: string };

export type GateLimits = {
  /** At once: of everybody, of one tenant, of one account. */
  readonly running: number;
  readonly per_tenant: number;
  readonly per_account: number;
  /** In the queue: of one tenant, of one account. Others cannot fill anybody's part. */
  readonly waiting_per_tenant: number;
  readonly waiting_per_account: number;
  /** The longest anyone waits (ms). */
  readonly wait_ms: number;
};

/** What those are told who are refused. */
export type GateTexts = { readonly queue_full: string; readonly waited_too_long: string };

/** What happened at the gate, for the metrics. */
export type GateObserver = (event: { running: number; waiting: number; refused?: keyof GateTexts }) => void;

type Waiter = { readonly grant: () => void };
type Account = { running: number; readonly waiting: Set<Waiter> };
type Tenant = { running: number; waiting: number; readonly accounts: Map<string, Account> };

const RETRY_SECONDS = 5;

/**
 * Admits expensive work: a few pieces at once, each tenant and within it each account in turn, so that whoever sends many waits
 * for itself. Whoever waits too long, or has too many waiting, is refused.
 */
export class FairGate {
  readonly #limits: GateLimits;
  readonly #texts: GateTexts;
  readonly #observe: GateObserver;
  /** In the order of their turns: whoever was admitted last is last. */
  readonly #tenants = new Map<string, Tenant>();
  #running = 0;
  #waiting = 0;

  constructor(limits: GateLimits, texts: GateTexts, observe: GateObserver = () => {}) {
    this.#limits = limits;
    this.#texts = texts;
    this.#observe = observe;
  }

  /** Runs work when its turn comes. @throws AppError `too_many_requests`; the reason of the signal when it aborts in the queue */
  async run<T>(asker: Asker, signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(asker, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for a place. @returns what gives it back; to be called when the work has ended, calling it again does nothing
   * @throws AppError `too_many_requests`; the reason of the signal when it aborts in the queue
   */
  async enter(asker: Asker, signal: AbortSignal | null): Promise<() => void> {
    signal?.throwIfAborted();
    const { account } = this.#placeOf(asker);
    // Nobody waits while there is a place for them, so whoever comes first in an idle gate need not queue.
    if (!this.#isFree(asker)) await this.#wait(asker, signal);
    else this.#take(asker);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      account.running -= 1;
      this.#release(asker);
    };
  }

  #placeOf(asker: Asker): { tenant: Tenant; account: Account } {
    let tenant = this.#tenants.get(asker.tenant);
    if (!tenant) {
      tenant = { running: 0, waiting: 0, accounts: new Map() };
      this.#tenants.set(asker.tenant, tenant);
    }
    let account = tenant.accounts.get(asker.account);
    if (!account) {
      account = { running: 0, waiting: new Set() };
      tenant.accounts.set(asker.account, account);
    }
    return { tenant, account };
  }

  #isFree(asker: Asker): boolean {
    const { tenant, account } = this.#placeOf(asker);
    const { running, per_tenant, per_account } = this.#limits;
    return this.#running < running && tenant.running < per_tenant && account.running < per_account;
  }

  /** Takes a place and goes to the end of both rotations. */
  #take(asker: Asker): void {
    const { tenant, account } = this.#placeOf(asker);
    this.#running += 1;
    tenant.running += 1;
    account.running += 1;
    this.#tenants.delete(asker.tenant);
    this.#tenants.set(asker.tenant, tenant);
    tenant.accounts.delete(asker.account);
    tenant.accounts.set(asker.account, account);
    this.#tell();
  }

  #wait(asker: Asker, signal: AbortSignal | null): Promise<void> {
    const { tenant, account } = this.#placeOf(asker);
    const { waiting_per_account, waiting_per_tenant, wait_ms } = this.#limits;
    if (account.waiting.size >= waiting_per_account || tenant.waiting >= waiting_per_tenant) {
      this.#forget(asker);
      this.#tell('queue_full');
      throw this.#refusal('queue_full');
    }
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        account.waiting.delete(waiter);
        tenant.waiting -= 1;
        this.#waiting -= 1;
      };
      const waiter: Waiter = {
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
      account.waiting.add(waiter);
      tenant.waiting += 1;
      this.#waiting += 1;
      this.#tell();
    });
  }

  #release(asker: Asker): void {
    const { tenant } = this.#placeOf(asker);
    this.#running -= 1;
    tenant.running -= 1;
    this.#forget(asker);
    this.#admitNext();
    this.#tell();
  }

  /** Gives free places to those whose turn it is. */
  #admitNext(): void {
    while (this.#running < this.#limits.running) {
      const next = this.#next();
      if (!next) return;
      next.grant();
    }
  }

  #next(): Waiter | null {
    for (const tenant of this.#tenants.values()) {
      if (tenant.waiting === 0 || tenant.running >= this.#limits.per_tenant) continue;
      for (const account of tenant.accounts.values()) {
        const [first] = account.waiting;
        if (first && account.running < this.#limits.per_account) return first;
      }
    }
    return null;
  }

  /** Nothing is kept of those who neither run nor wait. */
  #forget({ tenant: tenantKey, account: accountKey }: Asker): void {
    const tenant = this.#tenants.get(tenantKey);
    const account = tenant?.accounts.get(accountKey);
    if (!tenant || !account || account.running > 0 || account.waiting.size > 0) return;
    tenant.accounts.delete(accountKey);
    if (tenant.accounts.size === 0) this.#tenants.delete(tenantKey);
  }

  #refusal(reason: keyof GateTexts): AppError {
    const options = { retryAfterSeconds: RETRY_SECONDS, extra: { reason: 'busy' } };
    return new AppError('too_many_requests', this.#texts[reason], options);
  }

  #tell(refused?: keyof GateTexts): void {
    this.#observe({ running: this.#running, waiting: this.#waiting, ...(refused && { refused }) });
  }
}
