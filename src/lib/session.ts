import type { QueryClient } from '@tanstack/react-query';
import type { CurrentUser, SignedIn } from '@/domain/auth';
import type { PasskeyRequest } from '@/domain/passkeys';
import type { PasskeyChallenge, SecondFactorInput, SecondFactorNeeded } from '@/domain/second-factor';
import type { SignedOut } from '@/domain/sign-in-provider';
import { type EarlyAnswer, REFRESH_TIMEOUT_MS } from './early-refresh';
import { type Failure, failureFromBody, RestError, unexpectedResponse, unreachable } from './problem';
import type { TabLock } from './tab-lock';

/** Raised on `window` when the session cannot be renewed. */
export const AUTH_EXPIRED_EVENT = 'fabric.authExpired';

const RACE_DELAYS_MS = [200, 600, 1500];

export type SessionState =
  | { status: 'starting' }
  | { status: 'unreachable'; failure: Failure }
  | { status: 'signed_out'; expired: boolean; reused?: boolean }
  | { status: 'signed_in'; user: CurrentUser };

type Message = { kind: 'signed_in'; session: SignedIn } | { kind: 'signed_out'; expired: boolean; reused?: boolean };

export type SessionDeps = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  lock: TabLock;
  /** Tells other tabs of the same origin; null where the browser has none. */
  channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'> | null;
  /** Where `fabric.authExpired` is raised. */
  target: EventTarget;
  /** What the document itself asked before this code was here; null without it. Taken once. */
  early?: () => Promise<EarlyAnswer | null>;
};

/**
 * The signed-in session of this tab. The access token lives here, in memory, and nowhere else.
 *
 * However many requests fail concurrently, one refresh is sent; and two tabs never send one concurrently, because the
 * refresh token rotates with each use and a second use of the same one revokes the whole sign-in.
 */
export class Session {
  readonly #deps: SessionDeps;
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { status: 'starting' };
  #current: SignedIn | null = null;
  #renewing: Promise<string | null> | null = null;
  /** Counts sign-ins and sign-outs, so that an answer that belongs to an earlier one is dropped. */
  #epoch = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    deps.channel?.addEventListener('message', (event: MessageEvent<Message>) => {
      if (event.data.kind === 'signed_in') this.#adopt(event.data.session);
      else if (this.#state.status === 'signed_in') this.#leave(event.data.expired, event.data.reused);
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  get token(): string | null {
    return this.#current?.access_token ?? null;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Restores the session from the refresh cookie when the page opens. Safe to call again after `unreachable`. */
  async start(): Promise<void> {
    if (this.#state.status === 'signed_in' || this.#state.status === 'signed_out') return;
    this.#set({ status: 'starting' });
    try {
      await this.renew(null);
    } catch (error) {
      const failure = error instanceof RestError ? error.failure : unreachable();
      // Another tab may have handed over its session by now.
      if (this.#state.status === 'starting') this.#set({ status: 'unreachable', failure });
    }
  }

  /**
   * A token other than `stale`, by one refresh shared by all callers; null when the session is over (tokens are cleared then
   * and `fabric.authExpired` is raised once).
   * @throws RestError when the service could not answer: the session may still be good.
   */
  renew(stale: string | null): Promise<string | null> {
    if (this.token !== stale) return Promise.resolve(this.token);
    if (this.#state.status === 'signed_out') return Promise.resolve(null);
    this.#renewing ??= this.#deps
      .lock(() => this.#refresh(stale))
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  async #refresh(stale: string | null): Promise<string | null> {
    // While this tab waited for the lock another one may have renewed or ended the session.
    if (this.token !== stale || this.#state.status === 'signed_out') return this.token;
    const epoch = this.#epoch;
    // Only while this tab has no token: another tab's newer one may have arrived first.
    const early = stale === null ? ((await this.#deps.early?.()) ?? null) : null;
    if (epoch !== this.#epoch) return this.token;
    let answer = early ? read(early.response, early.text) : await this.#post('/api/v1/auth/refresh', {});
    for (const delay of RACE_DELAYS_MS) {
      if (answer.ok || answer.failure.extra?.reason !== 'already_rotated') break;
      // A page that is being left, or a tab outside this lock, was faster with the same cookie; its answer brings the next.
      await new Promise((resolve) => setTimeout(resolve, delay));
      answer = await this.#post('/api/v1/auth/refresh', {});
    }
    if (epoch !== this.#epoch) return this.token;
    if (answer.ok) {
      this.#enter(answer.body);
      return this.token;
    }
    if (answer.failure.status === 429 || (answer.failure.status ?? 500) >= 500) throw new RestError(answer.failure);
    this.expire(stale, answer.failure.extra?.reason === 'reused');
    return null;
  }

  /** The token was refused although it is the newest: the session is over; `reused`: because a refresh token was used twice. */
  expire(token: string | null, reused = false): void {
    if (this.token !== token || this.#state.status === 'signed_out') return;
    // When a page opens without a session nothing has expired.
    const expired = this.#current !== null;
    if (expired) this.#deps.channel?.postMessage({ kind: 'signed_out', expired, reused } satisfies Message);
    this.#leave(expired, reused);
  }

  /**
   * @returns null when signed in; else what the second step needs
   * @throws RestError with the server's reason (wrong, locked, too many attempts)
   */
  async signIn(email: string, password: string): Promise<SecondFactorNeeded['second_factor'] | null> {
    return this.#deps.lock(async () => {
      const answer = await this.#post('/api/v1/auth/login', { email, password });
      if (!answer.ok) throw new RestError(answer.failure);
      if (isSecondFactorNeeded(answer.body)) return answer.body.second_factor;
      this.#enter(answer.body);
      return null;
    });
  }

  /**
   * The second step of signing in; null: the browser holds the challenge as a cookie.
   * @throws RestError with the server's reason (wrong code, too late, too many attempts)
   */
  async answerChallenge(
    challenge_token: string | null,
    proof: Pick<SecondFactorInput, 'code' | 'passkey'>,
  ): Promise<void> {
    await this.#deps.lock(async () => {
      const answer = await this.#post('/api/v1/auth/second-factor', {
        ...(challenge_token !== null && { challenge_token }),
        ...proof,
      });
      if (!answer.ok) throw new RestError(answer.failure);
      this.#enter(answer.body);
    });
  }

  /** What the browser needs to use a passkey as the second step. @throws RestError with the server's reason */
  async requestPasskey(challenge_token: string | null): Promise<PasskeyRequest> {
    const answer = await this.#post('/api/v1/auth/second-factor/passkey', {
      ...(challenge_token !== null && { challenge_token }),
    });
    if (!answer.ok) throw new RestError(answer.failure);
    if (!isPasskeyChallenge(answer.body)) throw new RestError(unexpectedResponse(200, null));
    return answer.body.options;
  }

  /** Reloads the signed-in user and their permissions. @throws RestError when the service could not answer */
  async reload(): Promise<void> {
    await this.renew(this.token);
  }

  /**
   * Ends the session on the server and in every tab.
   * @returns what is left of it at the sign-in provider, and where to end it there
   * @throws RestError when the request to the server failed
   */
  async signOut(): Promise<SignedOut> {
    return this.#deps.lock(async () => {
      const answer = await this.#post('/api/v1/auth/oidc/logout', {});
      if (!answer.ok && answer.failure.status !== 401) throw new RestError(answer.failure);
      this.#deps.channel?.postMessage({ kind: 'signed_out', expired: false } satisfies Message);
      this.#leave(false);
      return answer.ok && isSignedOut(answer.body) ? answer.body : { provider_session: 'none', provider_url: null };
    });
  }

  async #post(url: string, body: unknown): Promise<Answer> {
    let response: Response;
    let text: string;
    try {
      response = await this.#deps.fetch(url, {
        method: 'POST',
        credentials: 'same-origin',
        cache: 'no-store',
        // Leaving the page must not lose the answer: the token that was sent is used up, and the cookie holds the next one.
        keepalive: true,
        // A hung request must not hold the lock that all tabs share.
        signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS),
        headers: {
          'content-type': 'application/json',
          ...(this.token && { authorization: `Bearer ${this.token}` }),
        },
        body: JSON.stringify(body),
      });
      text = await response.text();
    } catch (cause) {
      throw new RestError(unreachable(), { cause });
    }
    return read(response, text);
  }

  #enter(body: unknown): void {
    if (!isSignedIn(body)) throw new RestError(unexpectedResponse(200));
    const session = body;
    this.#adopt(session);
    this.#deps.channel?.postMessage({ kind: 'signed_in', session } satisfies Message);
  }

  #adopt(session: SignedIn): void {
    if (this.#state.status !== 'signed_in') this.#epoch += 1;
    this.#current = session;
    this.#set({ status: 'signed_in', user: session.user });
  }

  #leave(expired: boolean, reused = false): void {
    this.#epoch += 1;
    this.#current = null;
    this.#set({ status: 'signed_out', expired, ...(reused && { reused }) });
    if (expired) this.#deps.target.dispatchEvent(new Event(AUTH_EXPIRED_EVENT));
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

type Answer = { ok: true; body: unknown } | { ok: false; failure: Failure };

function read(response: Response, text: string): Answer {
  const foreign = () => unexpectedResponse(response.status, response.headers.get('x-request-id'));
  let json: unknown = null;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    return { ok: false, failure: foreign() };
  }
  if (response.ok) return { ok: true, body: json };
  const failure = failureFromBody(json, response.headers.get('retry-after')) ?? foreign();
  return { ok: false, failure: { ...failure, status: response.status } };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Answers of the service that serves this page need no schema; those of a proxy or another service are recognized by their form. */
const isSignedIn = (body: unknown): body is SignedIn =>
  isRecord(body) &&
  typeof body.access_token === 'string' &&
  body.token_type === 'Bearer' &&
  isRecord(body.user) &&
  typeof body.user.id === 'string' &&
  Array.isArray(body.user.permissions) &&
  Array.isArray(body.user.grants);

const isSecondFactorNeeded = (body: unknown): body is SecondFactorNeeded =>
  isRecord(body) && isRecord(body.second_factor) && typeof body.second_factor.challenge_token === 'string';

const isPasskeyChallenge = (body: unknown): body is PasskeyChallenge => isRecord(body) && isRecord(body.options);

const isSignedOut = (body: unknown): body is SignedOut => isRecord(body) && typeof body.provider_session === 'string';

/**
 * Empties the cache of answers whenever a session ends, by signing out or by itself, and when another user signs in: what one
 * person has read must not stay in the page for the next. @returns a function that stops it
 */
export function forgetAnswers(
  session: Pick<Session, 'state' | 'subscribe'>,
  queryClient: Pick<QueryClient, 'clear'>,
): () => void {
  let userId = session.state.status === 'signed_in' ? session.state.user.id : null;
  return session.subscribe(() => {
    const { state } = session;
    if (state.status === 'signed_out') queryClient.clear();
    if (state.status !== 'signed_in') return;
    if (userId !== null && userId !== state.user.id) queryClient.clear();
    userId = state.user.id;
  });
}
