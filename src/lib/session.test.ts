import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AuthFetch, makeAuthFetch } from './auth-fetch';
import { consumeEarlyAnswer, type EarlyAnswer, earlyRefreshScript } from './early-refresh';
import { RestError } from './problem';
import { AUTH_EXPIRED_EVENT, Session } from './session';
import { FakeService, sharedLock } from './session.fixture';
import type { TabLock } from './tab-lock';

describe('session', () => {
  const NAME = 'session-test';
  const channels: BroadcastChannel[] = [];

  function openTab(service: FakeService, lock: TabLock = sharedLock(), early?: () => Promise<EarlyAnswer | null>) {
    const target = new EventTarget();
    const channel = new BroadcastChannel(NAME);
    channels.push(channel);
    const expired: Event[] = [];
    target.addEventListener(AUTH_EXPIRED_EVENT, (event) => expired.push(event));
    const session = new Session({ fetch: service.fetch, lock, channel, target, ...(early && { early }) });
    return { session, expired, authFetch: makeAuthFetch(session, service.fetch) };
  }

  let service: FakeService;
  beforeEach(() => {
    service = new FakeService();
  });
  afterEach(() => {
    for (const channel of channels.splice(0)) channel.close();
  });

  const many = (n: number, authFetch: AuthFetch) =>
    Promise.all(Array.from({ length: n }, () => authFetch('/api/v1/things')));

  describe('a session', () => {
    test('starts from the refresh cookie', async () => {
      const { session } = openTab(service);
      expect(session.state.status).toBe('starting');
      await session.start();
      expect(session.state).toMatchObject({ status: 'signed_in', user: { email: 'a@b' } });
      expect(session.token).toBe('access-1');
    });

    test('signs out without a cookie, and nothing expires', async () => {
      service.cookie = null;
      const { session, expired } = openTab(service);
      await session.start();
      expect(session.state).toEqual({ status: 'signed_out', expired: false });
      expect(expired).toHaveLength(0);
    });

    test('a service that does not answer at the start is not a missing session', async () => {
      service.refreshAnswers = [new TypeError('fetch failed'), new Response('<html>', { status: 502 })];
      const { session } = openTab(service);
      await session.start();
      expect(session.state).toMatchObject({ status: 'unreachable', failure: { code: 'unreachable' } });
      await session.start();
      expect(session.state).toMatchObject({ status: 'unreachable', failure: { code: 'foreign_answer', status: 502 } });
      await session.start();
      expect(session.state.status).toBe('signed_in');
    });

    test('signing in keeps the reason of a refusal', async () => {
      service.cookie = null;
      const { session } = openTab(service);
      await session.start();
      const deny = async () =>
        Response.json({ title: 'Locked', detail: 'Wait.' }, { status: 429, headers: { 'retry-after': '30' } });
      const other = new Session({ fetch: deny, lock: sharedLock(), channel: null, target: new EventTarget() });
      const error = await other.signIn('a', 'b').catch((e: unknown) => e);
      expect(error).toBeInstanceOf(RestError);
      expect((error as RestError).failure).toMatchObject({ title: 'Locked', status: 429, retry_after: 30 });
      await session.signIn('a', 'b');
      expect(session.state.status).toBe('signed_in');
    });

    test('opens with the second step when the first one asks for a code', async () => {
      service.cookie = null;
      service.secondFactor = true;
      const { session } = openTab(service);
      await session.start();
      const needed = await session.signIn('a', 'b');
      expect(needed).toMatchObject({ challenge_token: 'challenge' });
      expect(session.state.status).toBe('signed_out');
      await expect(session.answerChallenge('challenge', { code: '000000' })).rejects.toThrow(RestError);
      expect(session.state.status).toBe('signed_out');
      await session.answerChallenge('challenge', { code: '123456' });
      expect(session.state.status).toBe('signed_in');
    });

    test('reloads itself with one refresh', async () => {
      const { session } = openTab(service);
      await session.start();
      const before = session.token;
      await session.reload();
      expect(session.token).not.toBe(before);
      expect(service.refreshes).toBe(2);
    });

    test('signing out clears the token and raises nothing', async () => {
      const { session, expired } = openTab(service);
      await session.start();
      expect(await session.signOut()).toEqual({ provider_session: 'kept', provider_url: null });
      expect(session.token).toBeNull();
      expect(session.state).toEqual({ status: 'signed_out', expired: false });
      expect(expired).toHaveLength(0);
    });
  });

  describe('the refresh that the document sends before its code is here', () => {
    /** Runs the script of the document as a browser does. @returns the window it leaves its answer in */
    function openDocument(lock: TabLock | null): object {
      const window = {};
      const locks = lock && { request: (_name: string, run: () => Promise<unknown>) => lock(run) };
      new Function('window', 'navigator', 'fetch', earlyRefreshScript('any'))(
        window,
        locks ? { locks } : {},
        service.fetch,
      );
      return window;
    }

    test('signs in with one refresh and leaves no answer in the page', async () => {
      const lock = sharedLock();
      const window = openDocument(lock);
      const { session } = openTab(service, lock, () => consumeEarlyAnswer(window));
      await session.start();
      expect(session.token).toBe('access-1');
      expect(service.refreshes).toBe(1);
      expect(window).toEqual({});
      service.valid.clear();
      await session.reload();
      expect(service.refreshes).toBe(2);
      expect(session.token).toBe('access-2');
    });

    test('signs out without a second refresh when there is no session', async () => {
      service.cookie = null;
      const window = openDocument(sharedLock());
      const { session, expired } = openTab(service, sharedLock(), () => consumeEarlyAnswer(window));
      await session.start();
      expect(session.state).toEqual({ status: 'signed_out', expired: false });
      expect(service.refreshes).toBe(1);
      expect(expired).toHaveLength(0);
    });

    test('precedes the refresh of the session when it lost a race or got no answer', async () => {
      const lost = Response.json({ title: 'No', status: 401, reason: 'already_rotated' }, { status: 401 });
      for (const answer of [lost, new TypeError('fetch failed')]) {
        service.refreshAnswers = [answer];
        const window = openDocument(sharedLock());
        const { session } = openTab(service, sharedLock(), () => consumeEarlyAnswer(window));
        await session.start();
        expect(session.state.status).toBe('signed_in');
      }
      expect(service.refreshes).toBe(4);
    });

    test('holds the lock of all tabs, so that no refresh token is used twice', async () => {
      const lock = sharedLock();
      const windows = [openDocument(lock), openDocument(lock)];
      const tabs = windows.map((window) => openTab(service, lock, () => consumeEarlyAnswer(window)));
      const other = openTab(service, lock);
      await Promise.all([...tabs, other].map(({ session }) => session.start()));
      expect(service.reused).toBe(false);
      for (const { session } of [...tabs, other]) expect(session.state.status).toBe('signed_in');
    });

    test('sends nothing where the browser has no lock for all tabs', async () => {
      const window = openDocument(null);
      const { session } = openTab(service, sharedLock(), () => consumeEarlyAnswer(window));
      expect(service.refreshes).toBe(0);
      await session.start();
      expect(session.token).toBe('access-1');
    });

    test("stays unused when another tab's session arrived first", async () => {
      const lock = sharedLock();
      const window = openDocument(lock);
      const { session } = openTab(service, lock, () => consumeEarlyAnswer(window));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const other = openTab(service, lock);
      await other.session.start();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(session.token).toBe('access-2');
      await session.reload();
      expect(session.token).toBe('access-3');
    });

    test('stays unused when another tab signed out in the meantime', async () => {
      const lock = sharedLock();
      const other = openTab(service, lock);
      await other.session.start();
      const window = openDocument(lock);
      const { session } = openTab(service, lock, async () => {
        const early = await consumeEarlyAnswer(window);
        session.expire(null);
        return early;
      });
      await session.start();
      expect(session.state.status).toBe('signed_out');
      expect(session.token).toBeNull();
    });
  });

  describe('401', () => {
    test('20 concurrent failures cost one refresh, and each request is sent twice', async () => {
      const { session, authFetch, expired } = openTab(service);
      await session.start();
      service.valid.clear();
      service.refreshes = 0;
      const answers = await many(20, authFetch);
      expect(answers.map((a) => a.status)).toEqual(Array(20).fill(200));
      expect(service.refreshes).toBe(1);
      expect(service.calls).toBe(40);
      expect(expired).toHaveLength(0);
    });

    test('a late one, sent with the token before, uses the new token without a refresh', async () => {
      const { session, authFetch } = openTab(service);
      await session.start();
      service.valid.clear();
      const late = authFetch('/api/v1/slow');
      await authFetch('/api/v1/things');
      await late;
      expect(service.refreshes).toBe(2);
    });

    test('a refused refresh clears the tokens and emits the event once', async () => {
      const { session, authFetch, expired } = openTab(service);
      await session.start();
      service.valid.clear();
      service.cookie = null;
      service.refreshes = 0;
      const answers = await many(20, authFetch);
      expect(answers.map((a) => a.status)).toEqual(Array(20).fill(401));
      expect(service.refreshes).toBe(1);
      expect(session.token).toBeNull();
      expect(session.state).toEqual({ status: 'signed_out', expired: true });
      expect(expired).toHaveLength(1);
      expect((await authFetch('/api/v1/things')).status).toBe(401);
      expect(service.refreshes).toBe(1);
      expect(expired).toHaveLength(1);
    });

    test('keeps in all tabs that it ended because a refresh token was reused', async () => {
      const reused = () => Response.json({ title: 'Not signed in', status: 401, reason: 'reused' }, { status: 401 });
      const a = openTab(service);
      const b = openTab(service);
      await a.session.start();
      await new Promise((resolve) => setTimeout(resolve, 20));
      service.valid.clear();
      service.refreshAnswers = [reused()];
      await a.authFetch('/api/v1/things');
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const { session } of [a, b])
        expect(session.state).toEqual({ status: 'signed_out', expired: true, reused: true });
      service.refreshAnswers = [reused()];
      const opened = openTab(service);
      await opened.session.start();
      expect(opened.session.state).toEqual({ status: 'signed_out', expired: false, reused: true });
    });

    test('retries only once: a fresh token that is refused ends the session', async () => {
      const { session, authFetch, expired } = openTab(service);
      await session.start();
      service.refreshes = 0;
      const issue = service.issue.bind(service);
      service.issue = () => {
        const answer = issue();
        service.valid.clear();
        return answer;
      };
      service.valid.clear();
      const answer = await authFetch('/api/v1/things');
      expect(answer.status).toBe(401);
      expect(service.calls).toBe(2);
      expect(service.refreshes).toBe(1);
      expect(expired).toHaveLength(1);
    });

    test('a refresh that finds no answer fails the requests and keeps the session', async () => {
      const { session, authFetch, expired } = openTab(service);
      await session.start();
      service.valid.clear();
      service.refreshAnswers = [new TypeError('fetch failed')];
      await expect(many(3, authFetch)).rejects.toBeInstanceOf(RestError);
      expect(session.state.status).toBe('signed_in');
      expect(expired).toHaveLength(0);
      expect((await authFetch('/api/v1/things')).status).toBe(200);
    });

    test('an answer that arrives after signing out does not sign in again', async () => {
      const { session, authFetch } = openTab(service, (run) => run());
      await session.start();
      service.valid.clear();
      const pending = authFetch('/api/v1/things');
      await Promise.resolve();
      await session.signOut();
      await pending;
      expect(session.state.status).toBe('signed_out');
      expect(session.token).toBeNull();
    });
  });

  describe('tabs', () => {
    const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

    test('never present the same refresh token twice', async () => {
      const lock = sharedLock();
      const tabs = [openTab(service, lock), openTab(service, lock), openTab(service, lock)];
      await Promise.all(tabs.map((t) => t.session.start()));
      await settled();
      for (let round = 0; round < 3; round += 1) {
        service.valid.clear();
        const answers = (await Promise.all(tabs.map((t) => many(5, t.authFetch)))).flat();
        expect(answers.map((a) => a.status)).toEqual(Array(15).fill(200));
        await settled();
      }
      expect(service.reused).toBe(false);
    });

    test('wait for a limited time for the cookie of the winner when they lost a race outside the lock', async () => {
      const lost = () =>
        Response.json({ title: 'Not signed in', status: 401, reason: 'already_rotated' }, { status: 401 });
      service.refreshAnswers = [lost(), lost()];
      const { session } = openTab(service);
      // The waits between the tries are seconds.
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const inTime = async <T>(done: Promise<T>) => {
        let over = false;
        void done.finally(() => {
          over = true;
        });
        while (!over) await vi.advanceTimersByTimeAsync(100);
        return done;
      };
      await inTime(session.start());
      expect(session.state.status).toBe('signed_in');
      service.refreshAnswers = [lost(), lost(), lost(), lost(), lost()];
      service.refreshes = 0;
      expect(await inTime(session.renew(session.token))).toBeNull();
      expect(service.refreshes).toBe(4);
    });

    test('refresh twice without a shared lock: the test can fail', async () => {
      const tabs = [openTab(service, (run) => run()), openTab(service, (run) => run())];
      await Promise.all(tabs.map((t) => t.session.start()));
      expect(service.reused).toBe(true);
    });

    test('signing in, signing out and expiry reach the others', async () => {
      service.cookie = null;
      const lock = sharedLock();
      const a = openTab(service, lock);
      const b = openTab(service, lock);
      await Promise.all([a.session.start(), b.session.start()]);
      await a.session.signIn('a', 'b');
      await settled();
      expect(b.session.state.status).toBe('signed_in');
      expect(b.session.token).toBe(a.session.token);
      await b.session.signOut();
      await settled();
      expect(a.session.state).toEqual({ status: 'signed_out', expired: false });
      await a.session.signIn('a', 'b');
      await settled();
      service.valid.clear();
      service.cookie = null;
      await a.authFetch('/api/v1/things');
      await settled();
      expect(b.session.state).toEqual({ status: 'signed_out', expired: true });
      expect(a.expired).toHaveLength(1);
      expect(b.expired).toHaveLength(1);
    });
  });
});
