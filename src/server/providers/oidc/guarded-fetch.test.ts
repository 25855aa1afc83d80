import type { lookup } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardedFetch } from './guarded-fetch';
import { OidcError } from './oidc-error';

const LOOPBACK = ['127.0.0.0/8'];
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener);
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}
/** Names that resolve to these addresses. */
const createLookup = (...addresses: string[]) =>
  ((_name: string, _options: unknown, done: (error: null, found: unknown) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;

const getFailureMessage = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'answered',
    (error: unknown) => (error instanceof OidcError ? error.message : String(error)),
  );

describe('fetching from a user-supplied address', () => {
  it('sends what it is given and returns what comes', async () => {
    const port = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () =>
        response.writeHead(201, { 'x-seen': `${request.method} ${request.headers['x-mine']}` }).end(body),
      );
    });
    const fetch = createGuardedFetch({ allow: LOOPBACK });
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'x-mine': 'yes' },
      body: new URLSearchParams({ a: 'b c' }),
    });
    expect([answer.status, answer.headers.get('x-seen'), await answer.text()]).toEqual([201, 'POST yes', 'a=b+c']);
  });

  it('connects to nothing that is refused, written out or behind a name', async () => {
    const fetch = createGuardedFetch({ allow: [] });
    for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433']) {
      expect(await getFailureMessage(fetch(`https://${host}/`)), host).toMatch(/^\S+ is not an allowed target \(/);
    }
    for (const address of ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1']) {
      const named = createGuardedFetch({ allow: [], resolve: createLookup(address) });
      expect(await getFailureMessage(named('https://id.example.org/')), address).toContain(
        `id.example.org resolves to ${address}, which is not an allowed target (`,
      );
    }
  });

  it('speaks without TLS only to ranges that are named', async () => {
    const port = await serve((_request, response) => response.end('here'));
    const plain = (allow: readonly string[], ...to: string[]) =>
      createGuardedFetch({ allow, resolve: createLookup(...to) })(`http://id.example.org:${port}/`);
    expect(await getFailureMessage(plain([], '10.0.0.1'))).toContain('without TLS');
    expect(await getFailureMessage(plain(['10.0.0.0/8'], '127.0.0.1'))).toContain('without TLS');
    expect(await getFailureMessage(plain(LOOPBACK, '127.0.0.1'))).toBe('answered');
  });

  it('follows no redirect', async () => {
    const port = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const answer = await createGuardedFetch({ allow: LOOPBACK })(`http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(302);
  });

  it('bounds size and time', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/slow') return response.writeHead(200).write('x');
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const fetch = createGuardedFetch({ allow: LOOPBACK, timeoutMs: 300, maxBytes: 100_000 });
    expect(await getFailureMessage(fetch(`http://127.0.0.1:${port}/large`))).toContain('larger than 100000 bytes');
    expect(await getFailureMessage(fetch(`http://127.0.0.1:${port}/slow`))).toContain('did not respond in time');
  });
});
