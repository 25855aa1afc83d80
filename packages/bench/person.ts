import { createTRPCClient, httpBatchLink, splitLink, TRPCClientError } from '@trpc/client';
import { isHeavyCall, MAX_BATCH_CALLS } from '@/domain/heavy-operations';
import type { AppRouter } from '@/server/api/root';

export type Call = { name: string; ms: number; error: string | null };
export type Client = ReturnType<typeof createTRPCClient<AppRouter>>;

/** Milliseconds a call may take before it counts as an error: no user waits longer for a page. */
const TIMEOUT_MS = 30_000;

/** What went wrong, in the words of a log: the kind of problem, no addresses or ids. */
export function describeError(error: unknown): string {
  if (error instanceof TRPCClientError) {
    const status = (error.data as { httpStatus?: number } | null)?.httpStatus;
    return `${status ?? ''} ${error.message}`.trim().slice(0, 120);
  }
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  return cause?.code ?? (error instanceof Error ? error.message : String(error)).slice(0, 120);
}

type Session = { access_token: string; refresh_token: string };

/**
 * A user with a browser: signs in, renews the session when it ends, calls procedures in batches as pages do (light ones apart from heavy ones), and keeps
 * the stream of live events open. Every call is measured.
 */
export class Person {
  readonly client: Client;
  readonly #url: string;
  readonly #onCall: (call: Call) => void;
  #session: Session | null = null;
  #renewing: Promise<void> | null = null;

  constructor(url: string, onCall: (call: Call) => void) {
    this.#url = url;
    this.#onCall = onCall;
    const batches = () =>
      httpBatchLink<AppRouter>({
        url: `${url}/api/trpc`,
        maxURLLength: 4000,
        maxItems: MAX_BATCH_CALLS,
        fetch: (input, init) => this.#fetch(String(input), init as RequestInit),
      });
    this.client = createTRPCClient<AppRouter>({
      links: [
        splitLink({ condition: ({ path, input }) => isHeavyCall(path, input), true: batches(), false: batches() }),
      ],
    });
  }

  /** @returns the permissions of the account, empty when it could not sign in */
  async signIn(email: string, password: string): Promise<string[]> {
    const me = await this.measure('sign in', async () => {
      this.#session = await this.#post('/api/v1/auth/login', { email, password });
      return this.rest<{ permissions: string[] }>('GET', '/auth/me');
    });
    return me?.permissions ?? [];
  }

  /** Runs a call and notes how long it took; a failure is noted, too, and goes no further. @returns its answer */
  async measure<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    const started = performance.now();
    try {
      const answer = await work();
      this.#onCall({ name, ms: performance.now() - started, error: null });
      return answer;
    } catch (error) {
      this.#onCall({ name, ms: performance.now() - started, error: describeError(error) });
      return null;
    }
  }

  /** A call of the REST interface. @throws Error with the status when the answer is none of success */
  async rest<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(`${this.#url}/api/v1${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 100)}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  /** Holds the stream of live events open until the signal, and opens it again when it ends. */
  async listen(signal: AbortSignal, onEvent: () => void = () => {}): Promise<void> {
    while (!signal.aborted) {
      try {
        const response = await fetch(`${this.#url}/api/v1/events`, { headers: this.#headers(), signal });
        if (response.status === 401) await this.#renew();
        if (!response.ok || !response.body) throw new Error(String(response.status));
        for await (const chunk of response.body) if (chunk.length > 0) onEvent();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000));
      }
    }
  }

  #headers(): Record<string, string> {
    return this.#session ? { authorization: `Bearer ${this.#session.access_token}` } : {};
  }

  async #fetch(input: string, init: RequestInit): Promise<Response> {
    const send = () =>
      fetch(input, {
        ...init,
        headers: { ...(init.headers as Record<string, string> | undefined), ...this.#headers() },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    const response = await send();
    if (response.status !== 401 || !this.#session) return response;
    await response.arrayBuffer();
    await this.#renew();
    return send();
  }

  /** One renewal for all calls that find the session ended. */
  async #renew(): Promise<void> {
    this.#renewing ??= this.#post('/api/v1/auth/refresh', { refresh_token: this.#session?.refresh_token })
      .then((session) => {
        this.#session = session;
      })
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  async #post(path: string, body: unknown): Promise<Session> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, 100)}`);
    return (await response.json()) as Session;
  }
}
