import { describe, expect, it } from 'vitest';
import { apiPath } from './http/encode';
import { sendJson, serveApi } from './testing/api-server.fixture';
import { makeAccess, testClient } from './testing/client.fixture';

const version = apiPath`/version`;

/** A server that holds every request until `open` is called. */
async function holdingServer() {
  const held: (() => void)[] = [];
  let most = 0;
  let running = 0;
  const server = await serveApi((_, response) => {
    most = Math.max(most, ++running);
    held.push(() => {
      running--;
      sendJson(response, { data: null });
    });
  });
  const arrived = async (count: number) => {
    while (server.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { server, arrived, most: () => most, releaseOne: () => held.shift()?.() };
}

describe('requests at the same time', () => {
  it.each([
    ['4 reads to one entry node', { method: 'GET', path: version }, 4],
    ['2 calls to the root daemon of one node', { method: 'GET', path: version, node: 'pve2', daemon: true }, 2],
    ['2 writes to one node', { method: 'PUT', path: version, node: 'pve2' }, 2],
    ['1 guest agent call to one node', { method: 'GET', path: version, node: 'pve2', kind: 'agent' }, 1],
  ] as const)('never exceed %s', async (_, request, limit) => {
    const { server, arrived, most, releaseOne } = await holdingServer();
    const client = testClient(makeAccess([server]));
    const calls = Array.from({ length: 6 }, () => client.request(request));
    for (let done = 0; done < 6; done++) {
      await arrived(Math.min(done + limit, 6));
      releaseOne();
    }
    await Promise.all(calls);
    expect(most()).toBe(limit);
  });

  it('count over all providers of the same cluster', async () => {
    const { server, arrived, most, releaseOne } = await holdingServer();
    const access = makeAccess([server]);
    const clients = [testClient(access), testClient(access)];
    const calls = clients.flatMap((client) => [1, 2, 3, 4].map(() => client.get(version)));
    for (let done = 0; done < 8; done++) {
      await arrived(Math.min(done + 4, 8));
      releaseOne();
    }
    await Promise.all(calls);
    expect(most()).toBe(4);
  });
});

describe('a refused token', () => {
  it('gets no second attempt', async () => {
    const server = await serveApi((_, response) => sendJson(response, '', 401, 'Authentication failed!'));
    const client = testClient(makeAccess([server, server]));
    for (let i = 0; i < 3; i++) {
      await expect(client.get(version)).rejects.toMatchObject({ code: 'unauthorized', detail: { status: 401 } });
    }
    expect(server.requests).toHaveLength(1);
  });

  it('works again when the caller insists on a retry', async () => {
    let status = 401;
    const server = await serveApi((_, response) => sendJson(response, { data: 'ok' }, status));
    const client = testClient(makeAccess([server]));
    await expect(client.get(version)).rejects.toMatchObject({ code: 'unauthorized' });
    status = 200;
    await expect(client.get(version)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(client.get(version, { insist: true })).resolves.toMatchObject({ data: 'ok' });
    await expect(client.get(version)).resolves.toMatchObject({ data: 'ok' });
  });

  it.each(['', 'root@pam', 'user@realm!token', 'a b@pve!t=secret', 'user@realm!t=se cret'])(
    'stays unsent when it is malformed (%j)',
    async (api_token) => {
      const server = await serveApi((_, response) => sendJson(response, { data: 1 }));
      await expect(testClient(makeAccess([server], { api_token })).get(version)).rejects.toMatchObject({
        code: 'unauthorized',
        remedy: expect.stringContaining('token'),
      });
      expect(server.connections()).toBe(0);
    },
  );

  it('has unusual characters of the user percent-encoded', async () => {
    const server = await serveApi((_, response) => sendJson(response, { data: 1 }));
    const client = testClient(makeAccess([server], { api_token: 'a%b;c=dé@pve!tok=secret' }));
    await client.get(version);
    expect(server.requests[0]?.headers.authorization).toBe('PVEAPIToken=a%25b%3Bc=d%C3%A9@pve!tok=secret');
  });
});

describe('an entry node that is down', () => {
  const down = async () => {
    const server = await serveApi(() => {});
    await server.stop();
    return server;
  };

  it('falls back to another known node, for reads and for writes', async () => {
    const [first, second] = [await down(), await serveApi((_, response) => sendJson(response, { data: 'second' }))];
    const client = testClient(makeAccess([first, second]));
    await expect(client.get(version)).resolves.toMatchObject({ data: 'second' });
    await expect(client.request({ method: 'PUT', path: version })).resolves.toMatchObject({ data: 'second' });
  });

  it('determines the error when no other node answers', async () => {
    const servers = [await down(), await down()];
    const client = testClient(makeAccess(servers));
    for (let i = 0; i < 5; i++) {
      await expect(client.get(version)).rejects.toMatchObject({ code: i < 3 ? 'unreachable' : 'circuit_open' });
    }
    await expect(client.get(version)).rejects.toMatchObject({ remedy: expect.stringContaining('online') });
  });

  it('gets requests first again some time after its return', async () => {
    const first = await serveApi((request, response) =>
      alive ? sendJson(response, { data: 'first' }) : request.socket.destroy(),
    );
    let alive = false;
    const second = await serveApi((_, response) => sendJson(response, { data: 'second' }));
    const client = testClient(makeAccess([first, second]));
    for (let i = 0; i < 3; i++) await expect(client.get(version)).resolves.toMatchObject({ data: 'second' });
    alive = true;
    await expect(client.get(version)).resolves.toMatchObject({ data: 'second' });
    client.clock.time += 16_000;
    await expect(client.get(version)).resolves.toMatchObject({ data: 'first' });
    // One read that failed, its repetition, and the last one: the others never went there.
    expect(first.requests).toHaveLength(3);
  });

  it('stays the only target after a write that may have arrived', async () => {
    const first = await serveApi((request) => request.socket.destroy());
    const second = await serveApi((_, response) => sendJson(response, { data: null }));
    const client = testClient(makeAccess([first, second]));
    await expect(client.request({ method: 'POST', path: version })).rejects.toMatchObject({
      detail: { outcomeUnknown: true },
    });
    expect(second.requests).toEqual([]);
  });
});

describe('a node behind the entry node that is down', () => {
  it('gets no requests after three failures; the others do as before', async () => {
    const server = await serveApi((request, response) => {
      if (request.url?.includes('pve2')) sendJson(response, '', 595, 'No route to host');
      else sendJson(response, { data: 'ok' });
    });
    const client = testClient(makeAccess([server]));
    const ask = (node: string) => client.get(apiPath`/nodes/${node}/status`, { node });
    for (let i = 0; i < 3; i++) await expect(ask('pve2')).rejects.toMatchObject({ code: 'node_unreachable' });
    await expect(ask('pve2')).rejects.toMatchObject({ code: 'circuit_open', detail: { object: 'pve2' } });
    await expect(ask('pve3')).resolves.toMatchObject({ data: 'ok' });
    expect(server.requests).toHaveLength(4);
    client.clock.time += 15_000;
    await expect(ask('pve2')).rejects.toMatchObject({ code: 'node_unreachable' });
    await expect(ask('pve2')).rejects.toMatchObject({ code: 'circuit_open' });
  });

  it('does not make the entry node look down', async () => {
    const server = await serveApi((_, response) => sendJson(response, '', 595, ''));
    const other = await serveApi((_, response) => sendJson(response, { data: 'ok' }));
    const client = testClient(makeAccess([server, other]));
    await expect(client.get(version, { node: 'pve2' })).rejects.toMatchObject({ code: 'node_unreachable' });
    expect(other.requests).toEqual([]);
  });
});

describe('a cluster that is being upgraded', () => {
  it.each([
    [596, 'Connection timed out'],
    [500, 'ipcc_send_rec[1] failed: Connection refused'],
    [500, 'RPCEnvironment init request failed: Unable to load access control list: Connection refused'],
  ])('gets one more request for a read that failed with %i %s', async (status, text) => {
    let failures = 1;
    const server = await serveApi((_, response) =>
      failures-- > 0 ? sendJson(response, { data: null, message: text }, status) : sendJson(response, { data: 'ok' }),
    );
    await expect(testClient(makeAccess([server])).get(version, { node: 'pve1' })).resolves.toMatchObject({
      data: 'ok',
    });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    [596, 'Connection timed out', true],
    [595, '', true],
    [595, 'Connection refused', undefined],
    [500, "cfs-lock 'firewall-vm-100' error: no quorum!", undefined],
  ])('never gets a write twice: %i %s leaves its outcome unknown: %s', async (status, text, unknown) => {
    const server = await serveApi((_, response) => sendJson(response, { data: null, message: text }, status));
    const error = await testClient(makeAccess([server]))
      .request({ method: 'PUT', path: version, node: 'pve1' })
      .catch((e) => e);
    expect(error.detail.outcomeUnknown).toBe(unknown);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a closed provider', () => {
  it('makes no more requests and ends those that run', async () => {
    const server = await serveApi(() => {});
    const client = testClient(makeAccess([server]));
    const running = client.get(version).catch((error) => error);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    client.close();
    expect(await running).toMatchObject({ code: 'unreachable' });
    await expect(client.get(version)).rejects.toMatchObject({ message: 'expected an open provider' });
    expect(server.requests).toHaveLength(1);
  });
});
