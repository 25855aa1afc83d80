import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OidcError } from './oidc-error';
import { OidcProvider, type SignInChecks } from './provider';

const LOOPBACK = ['127.0.0.0/8'];
const REDIRECT = 'https://fabric.example.org/api/v1/auth/oidc/callback';

/** A provider that says whatever a test wants: its signature is right, the rest is the test's matter. */
class ForgedProvider {
  issuer = '';
  described: Record<string, unknown> = {};
  idToken: (claims: JWTPayload) => Promise<string> = (claims) => this.sign(claims);
  userInfo: Record<string, unknown> | null = null;
  tokenRequests: URLSearchParams[] = [];
  #server: Server | undefined;
  #keys = generateKeyPair('RS256');

  async start() {
    const { publicKey } = await this.#keys;
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    this.#server = createServer(async (request, response) => {
      const send = (body: unknown, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const path = request.url ?? '';
      if (path.startsWith('/.well-known/openid-configuration')) return send(this.description());
      if (path === '/jwks') return send({ keys: [jwk] });
      if (path === '/userinfo') return this.userInfo ? send(this.userInfo) : send({}, 500);
      let body = '';
      for await (const chunk of request) body += chunk;
      this.tokenRequests.push(new URLSearchParams(body));
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: this.issuer, aud: 'fabric', sub: 'alice', iat: now, exp: now + 60, nonce: this.nonce };
      send({ access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: await this.idToken(claims) });
    });
    await new Promise<void>((done) => this.#server?.listen(0, '127.0.0.1', done));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  nonce = '';
  description() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/auth`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.described,
    };
  }
  async sign(claims: JWTPayload, header: { alg?: string; kid?: string } = {}) {
    const { privateKey } = await this.#keys;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(privateKey);
  }
  stop() {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

const forged = new ForgedProvider();
beforeAll(() => forged.start());
afterAll(() => forged.stop());

const openProvider = () =>
  OidcProvider.open({ issuer: forged.issuer, client_id: 'fabric', client_secret: 'a secret' }, LOOPBACK);

/** One whole sign-in; `answer` changes what the browser brings back. */
async function signIn(answer: (query: URLSearchParams, checks: SignInChecks) => void = () => undefined) {
  const provider = await openProvider();
  const { checks } = await provider.begin(REDIRECT, ['openid']);
  forged.nonce = checks.nonce;
  const url = new URL(REDIRECT);
  url.search = String(new URLSearchParams({ code: 'a code', state: checks.state, iss: forged.issuer }));
  answer(url.searchParams, checks);
  return provider.finish(url, checks, 'groups');
}
async function signInWith(idToken: ForgedProvider['idToken']) {
  const honest = forged.idToken;
  forged.idToken = idToken;
  try {
    return await signIn();
  } finally {
    forged.idToken = honest;
  }
}
const getRejectionReason = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'in',
    (error: unknown) => (error instanceof OidcError ? error.reason : `not ours: ${String(error)}`),
  );

describe('a sign-in', () => {
  it('sends code, verifier and redirect URI, and believes what is right', async () => {
    expect(await signIn()).toEqual({
      id_token: expect.stringMatching(/^eyJ/),
      issuer: forged.issuer,
      subject: 'alice',
      email: null,
      email_verified: false,
      name: null,
      groups: [],
    });
    const sent = forged.tokenRequests.at(-1);
    expect(sent?.get('code')).toBe('a code');
    expect(sent?.get('redirect_uri')).toBe(REDIRECT);
    expect(sent?.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
  });

  it('asks with PKCE, state and nonce, all new each time', async () => {
    const provider = await openProvider();
    const urls = [await provider.begin(REDIRECT, ['openid', 'email']), await provider.begin(REDIRECT, ['openid'])];
    const [one, two] = urls.map(({ url }) => new URL(url).searchParams);
    expect(one?.get('code_challenge_method')).toBe('S256');
    expect(one?.get('scope')).toBe('openid email');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one?.get(name), name).toMatch(/^[\w-]{43,}$/);
      expect(one?.get(name)).not.toBe(two?.get(name));
    }
  });

  it('fails with a token of another nonce, issuer, audience or time', async () => {
    const now = Math.floor(Date.now() / 1000);
    const wrong: Record<string, JWTPayload> = {
      'another nonce': { nonce: 'another' },
      'no nonce': { nonce: undefined },
      'another issuer': { iss: 'https://evil.example.org' },
      'another audience': { aud: 'somebody else' },
      'several audiences without us': { aud: ['a', 'b'] },
      expired: { exp: now - 120, iat: now - 240 },
      'no end': { exp: undefined },
      'not yet valid': { nbf: now + 600 },
      'no subject': { sub: undefined },
    };
    for (const [name, claims] of Object.entries(wrong)) {
      expect(await getRejectionReason(signInWith((right) => forged.sign({ ...right, ...claims }))), name).toBe(
        'invalid',
      );
    }
  });

  it('fails with a token that is changed, unsigned, or signed by another key or method', async () => {
    const other = await generateKeyPair('RS256');
    const forgeries: Record<string, ForgedProvider['idToken']> = {
      changed: async (claims) => {
        const [head, , signature] = (await forged.sign(claims)).split('.');
        const body = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
        return [head, body, signature].join('.');
      },
      unsigned: async (claims) => new UnsecuredJWT(claims).encode(),
      'another key': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(other.privateKey),
      'a key nobody knows': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'two' }).sign(other.privateKey),
      'our own secret': (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('a secret')),
      nonsense: async () => 'no token at all',
    };
    for (const [name, idToken] of Object.entries(forgeries)) {
      expect(await getRejectionReason(signInWith(idToken)), name).toBe('invalid');
    }
  });

  it('fails when the browser returns another state, issuer or an error', async () => {
    expect(await getRejectionReason(signIn((query) => query.set('state', 'another')))).toBe('invalid');
    expect(await getRejectionReason(signIn((query) => query.delete('state')))).toBe('invalid');
    expect(await getRejectionReason(signIn((query) => query.append('state', 'twice')))).toBe('invalid');
    expect(await getRejectionReason(signIn((query) => query.set('iss', 'https://evil.example.org')))).toBe('invalid');
    expect(await getRejectionReason(signIn((query) => query.delete('iss')))).toBe('invalid');
    expect(await getRejectionReason(signIn((query) => query.delete('code')))).toBe('invalid');
    expect(
      await getRejectionReason(
        signIn((query) => {
          query.delete('code');
          query.set('error', 'access_denied');
        }),
      ),
    ).toBe('refused');
  });

  it('takes what is missing from the userinfo endpoint, of the same subject only', async () => {
    forged.described = { userinfo_endpoint: `${forged.issuer}/userinfo` };
    forged.userInfo = { sub: 'alice', email: 'a@example.org', email_verified: true, groups: ['net'] };
    expect(await signIn()).toMatchObject({ email: 'a@example.org', email_verified: true, groups: ['net'] });
    forged.userInfo = { ...forged.userInfo, sub: 'mallory' };
    expect(await getRejectionReason(signIn())).toBe('invalid');
    forged.described = {};
  });
});

describe('an address to sign out at', () => {
  const at = async (end_session_endpoint: unknown, allow = LOOPBACK) => {
    forged.described = { end_session_endpoint };
    const provider = await OidcProvider.open(
      { issuer: forged.issuer, client_id: 'fabric', client_secret: null },
      allow,
    );
    forged.described = {};
    const url = provider.endSession({ id_token: 'hint', redirect_uri: `${REDIRECT}/out`, state: 'a state' });
    expect(provider.describe().end_session_endpoint === null).toBe(url === null);
    return url;
  };

  it('gets client, hint, state and the way back', async () => {
    for (const address of [`${forged.issuer}/end?keep=1`, 'https://login.example.org/end?keep=1']) {
      const url = new URL((await at(address)) ?? '');
      expect(`${url.origin}${url.pathname}`).toBe(address.split('?')[0]);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        keep: '1',
        client_id: 'fabric',
        id_token_hint: 'hint',
        state: 'a state',
        post_logout_redirect_uri: `${REDIRECT}/out`,
      });
    }
  });

  it('cannot replace what it is given', async () => {
    const url = new URL(
      (await at(`${forged.issuer}/end?state=mine&post_logout_redirect_uri=https://evil.example.org`)) ?? '',
    );
    expect(url.searchParams.getAll('state')).toEqual(['a state']);
    expect(url.searchParams.getAll('post_logout_redirect_uri')).toEqual([`${REDIRECT}/out`]);
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'not an address',
    '/end',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'http://login.example.org/end',
    'http://127.0.0.1:9/end',
    'https://fabric:secret@login.example.org/end',
    'https://169.254.169.254/end',
    'https://[fe80::1]/end',
    'https://[::ffff:169.254.169.254]/end',
  ])('does not exist when the provider names %s', async (address) => {
    expect(await at(address)).toBeNull();
  });
});

describe('a description', () => {
  it('causes an error when it has another issuer, is not JSON, or cannot be loaded', async () => {
    forged.described = { issuer: 'https://evil.example.org' };
    expect(await getRejectionReason(openProvider())).toBe('invalid');
    forged.described = { issuer: `${forged.issuer}/` };
    expect(await getRejectionReason(openProvider())).toBe('invalid');
    forged.described = {};
    const at = (issuer: string, allow: readonly string[] = LOOPBACK) =>
      getRejectionReason(OidcProvider.open({ issuer, client_id: 'fabric', client_secret: null }, allow));
    expect(await at(`${forged.issuer}/nothing/here`)).toBe('invalid');
    expect(await at('http://127.0.0.1:1')).toBe('unreachable');
    expect(await at(forged.issuer, [])).toBe('unreachable');
  });
});
