import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../net/address-guard';
import { sendWebhook, signWebhook, type WebhookRequest } from './send-webhook';

const open = createAddressGuard(['127.0.0.0/8', '::1/128']);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Pick<Server, 'listen' | 'address' | 'close' | 'once'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function receiver(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  const port = await listen(server);
  closing.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${port}/hook?key=1`;
}

async function rawReceiver(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const port = await listen(
    createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      talk(socket);
    }) as unknown as Server,
  );
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}/`;
}

const post = (url: string, more: Partial<WebhookRequest> = {}) =>
  sendWebhook({
    url: new URL(url),
    secret: 'whsec_test',
    body: '{"title":"Grüße"}',
    delivery_id: '0192f0c1-7a3b-7c44-9f00-000000000001',
    timestamp: 1_767_225_600,
    guard: open,
    ...more,
  });

describe('sendWebhook', () => {
  it('posts the body as it was signed', async () => {
    const got: { headers: IncomingHttpHeaders; body: string; url: string }[] = [];
    const url = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        got.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url ?? '' });
        response.writeHead(204).end();
      });
    });
    expect(await post(url)).toBe(204);
    expect(got).toHaveLength(1);
    const [{ headers, body, url: path } = { headers: {}, body: '', url: '' }] = got;
    expect(path).toBe('/hook?key=1');
    expect(body).toBe('{"title":"Grüße"}');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'fabric-delivery': '0192f0c1-7a3b-7c44-9f00-000000000001',
      'fabric-timestamp': '1767225600',
      'fabric-signature': signWebhook('whsec_test', 1_767_225_600, body),
    });
    // Computed with: printf '1767225600.{"title":"Grüße"}' | openssl dgst -sha256 -hmac whsec_test
    expect(headers['fabric-signature']).toBe('v1=386fdc0603fe4e2ff16d69868afa253761b9e3c32df0577674bd7c381fb67507');
  });

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [408, true],
    [400, false],
    [401, false],
    [404, false],
    [410, false],
  ])('takes %i for a failure (another try: %s)', async (status, retry) => {
    const url = await receiver((_request, response) => response.writeHead(status, { 'retry-after': '120' }).end('no'));
    await expect(post(url)).rejects.toMatchObject({ retry, status, retryAfterSeconds: retry ? 120 : null });
  });

  it('waits an hour at most, whatever Retry-After says', async () => {
    const waitFor = async (text: string) => {
      const url = await receiver((_request, response) => response.writeHead(503, { 'retry-after': text }).end());
      return post(url).catch((error) => error.retryAfterSeconds);
    };
    expect(await waitFor('999999')).toBe(3600);
    expect(await waitFor('-5')).toBeNull();
    expect(await waitFor('Fri, 31 Dec 2999 23:59:59 GMT')).toBeNull();
  });

  it('does not follow a redirect, wherever it leads', async () => {
    let reached = 0;
    const inside = await receiver((_request, response) => {
      reached++;
      response.end();
    });
    for (const status of [301, 302, 307, 308]) {
      const url = await receiver((_request, response) => response.writeHead(status, { location: inside }).end());
      await expect(post(url)).rejects.toMatchObject({ retry: false, status });
    }
    expect(reached).toBe(0);
  });

  it('times out on a slow receiver', async () => {
    const silent = await rawReceiver(() => {});
    const dripping = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    for (const url of [silent, dripping])
      await expect(post(url, { timeoutMs: 150 })).rejects.toMatchObject({ retry: true, status: null });
  });

  it('reads nothing of a body, however large', async () => {
    let sent = 0;
    const url = await receiver((_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && sent < 512 * chunk.length) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await post(url)).toBe(200);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['nothing', ''],
  ])('takes %s for no answer', async (_name, text) => {
    const url = await rawReceiver((socket) => socket.once('data', () => socket.end(text)));
    await expect(post(url, { timeoutMs: 2_000 })).rejects.toMatchObject({ retry: true, status: null });
  });

  it('connects to nothing that the guard refuses, by address or by name', async () => {
    let reached = 0;
    const url = new URL(
      await receiver((_request, response) => {
        reached++;
        response.end();
      }),
    );
    const closed = createAddressGuard([]);
    const addresses = [
      '127.0.0.1',
      '[::1]',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      'localhost',
    ];
    for (const host of addresses) {
      const target = `http://${host}:${url.port}/`;
      await expect(post(target, { guard: closed }), host).rejects.toMatchObject({
        retry: false,
        message: expect.stringContaining('not an allowed target'),
      });
    }
    expect(reached).toBe(0);
  });

  it('tells people of a tenant neither what a name resolves to nor that it does', async () => {
    const guard = createAddressGuard([], { publicOnly: true });
    type Callback = (error: Error | null, addresses: { address: string; family: number }[]) => void;
    const createLookup = (answer: string | null) =>
      ((_name: string, _options: unknown, callback: Callback) =>
        answer === null
          ? callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), [])
          : callback(null, [{ address: answer, family: 4 }])) as unknown as WebhookRequest['lookup'];
    const failure = (answer: string | null) =>
      post('http://db.inside.test/', { guard, discreet: true, lookup: createLookup(answer) }).then(
        () => null,
        ({ message, retry, status }) => ({ message, retry, status }),
      );
    const nothing = await failure(null);
    expect(nothing?.message).toContain('db.inside.test');
    for (const inside of ['10.0.0.5', '192.168.7.7', '169.254.169.254', '127.0.0.1']) {
      expect(await failure(inside), inside).toEqual(nothing);
    }
  });

  it('connects to the address that was checked, also when the name changes a moment later', async () => {
    let lookups = 0;
    const url = new URL(await receiver((_request, response) => response.end()));
    // First an allowed address without a listener, then the loopback address.
    const rebinding = ((
      _name: string,
      _options: unknown,
      callback: (e: null, a: { address: string; family: number }[]) => void,
    ) => {
      lookups++;
      callback(null, [{ address: lookups === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]);
    }) as unknown as WebhookRequest['lookup'];
    const request = { guard: createAddressGuard([]), lookup: rebinding, timeoutMs: 300 };
    await expect(post(`http://rebind.test:${url.port}/`, request)).rejects.toMatchObject({ retry: true });
    expect(lookups).toBe(1);
    await expect(post(`http://rebind.test:${url.port}/`, request)).rejects.toMatchObject({ retry: false });
  });

  it('keeps people of a tenant out of private networks', async () => {
    const guard = createAddressGuard(['10.1.0.0/16'], { publicOnly: true });
    expect(guard.refusal('10.0.0.1')).toBe('private network');
    expect(guard.refusal('172.31.255.1')).toBe('private network');
    expect(guard.refusal('fd12::1')).toBe('private network');
    expect(guard.refusal('64:ff9b::10.0.0.1')).toBe('private network');
    expect(guard.refusal('10.1.2.3')).toBeNull();
    expect(guard.refusal('203.0.113.9')).toBeNull();
    await expect(post('http://192.168.1.1/', { guard })).rejects.toMatchObject({ retry: false });
  });

  it('stops when the worker ends', async () => {
    const url = await rawReceiver(() => {});
    const ending = new AbortController();
    const sent = post(url, { signal: ending.signal });
    ending.abort(new Error('the worker is stopping'));
    await expect(sent).rejects.toThrow('the worker is stopping');
  });
});
