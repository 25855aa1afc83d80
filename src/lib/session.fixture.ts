import type { TabLock } from './tab-lock';

const USER = {
  id: '0190f3a0-0000-7000-8000-000000000001',
  email: 'a@b',
  name: 'A',
  must_enrol: false,
  permissions: ['*'],
  grants: [],
  tenants: [],
  all_tenants: true,
};

/** A service whose refresh token rotates and whose access tokens can be made to expire. */
export class FakeService {
  generation = 0;
  cookie: string | null = 'refresh-0';
  valid = new Set<string>();
  refreshes = 0;
  calls = 0;
  /** Answers of `/auth/refresh` before it works again. */
  refreshAnswers: (Response | Error)[] = [];
  reused = false;
  secondFactor = false;

  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    await Promise.resolve();
    const bearer = new Headers(init.headers).get('authorization')?.slice('Bearer '.length);
    if (url.endsWith('/auth/refresh')) {
      this.refreshes += 1;
      const presented = this.cookie;
      // Network latency: a second refresh that starts now would present the same cookie.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const planned = this.refreshAnswers.shift();
      if (planned instanceof Error) throw planned;
      if (planned) return planned;
      if (presented === null || presented !== this.cookie) {
        if (presented !== null) this.reused = true;
        return problem(401);
      }
      return this.issue();
    }
    if (url.endsWith('/auth/login')) {
      const second_factor = { challenge_token: 'challenge', methods: ['totp'], expires_in: 600 };
      return this.secondFactor ? Response.json({ second_factor }) : this.issue();
    }
    if (url.endsWith('/auth/second-factor')) {
      const { challenge_token, code } = JSON.parse(String(init.body)) as Record<string, string>;
      return challenge_token === 'challenge' && code === '123456' ? this.issue() : problem(401);
    }
    if (url.endsWith('/auth/oidc/logout')) {
      this.cookie = null;
      this.valid.clear();
      return Response.json({ provider_session: 'kept', provider_url: null });
    }
    this.calls += 1;
    return bearer && this.valid.has(bearer) ? Response.json({ ok: true }) : problem(401);
  };

  issue() {
    this.generation += 1;
    this.cookie = `refresh-${this.generation}`;
    const access_token = `access-${this.generation}`;
    this.valid.add(access_token);
    return Response.json({ access_token, token_type: 'Bearer', expires_in: 900, user: USER });
  }
}

const problem = (status: number) =>
  Response.json({ title: 'No', status, code: 'unauthenticated', request_id: 'r-12345678' }, { status });

/** The lock that all tabs of a browser share. */
export function sharedLock(): TabLock {
  let tail: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>) => {
    const next = tail.then(run);
    tail = next.catch(() => undefined);
    return next;
  };
}
