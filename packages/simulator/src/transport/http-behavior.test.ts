import { Agent, request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { chaos } from '../scenarios/chaos';
import { smallLab } from '../scenarios/small-lab';
import { client, rawRequest } from '../test-client.fixture';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 200 });
});
afterAll(() => sim.close());

const pve1 = () => sim.cluster().node('pve1');
const token = () => sim.cluster().tokens.manager;
const api = () => client(pve1(), token());

/** Sends a request with full control over the head. */
const send = (options: {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  path?: string;
  agent?: Agent;
}) =>
  new Promise<{ status: number; reason: string; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const { url, caPem } = pve1();
    const request = httpsRequest(
      `${url}/api2/json${options.path ?? '/version'}`,
      {
        method: options.method ?? 'GET',
        ca: caPem,
        agent: options.agent ?? false,
        headers: { authorization: `PVEAPIToken=${token()}`, ...options.headers },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? '',
            headers: response.headers,
            text,
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });

describe('requests the server refuses', () => {
  it.each(['HEAD', 'PATCH', 'OPTIONS'])('answers %s with 501', async (method) => {
    const answer = await send({ method });
    expect([answer.status, answer.reason, answer.text]).toEqual([501, `method '${method}' not available`, '']);
  });

  it('refuses a chunked body', async () => {
    const answer = await send({ method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: 'a=1' });
    expect([answer.status, answer.reason]).toEqual([501, 'chunked transfer encoding not supported']);
  });

  it.each(['GET', 'DELETE'])('refuses a body on %s', async (method) => {
    const answer = await send({ method, headers: { 'content-length': '3' }, body: 'a=1' });
    expect([answer.status, answer.reason]).toEqual([501, `Unexpected content for method '${method}'`]);
  });

  it('refuses other content types with 506', async () => {
    const answer = await rawRequest(pve1(), 'PUT', '/cluster/firewall/options', {
      token: token(),
      body: '<x/>',
      contentType: 'text/xml',
    });
    expect([answer.status, answer.reason]).toEqual([506, "upload 'Content-Type 'text/xml' not implemented"]);
  });

  it('refuses a body of more than 512 KiB', async () => {
    const answer = await send({ method: 'POST', headers: { 'content-length': String(524_289) }, body: undefined });
    expect([answer.status, answer.reason]).toEqual([501, 'for data too large']);
  });

  it('refuses more than 64 header lines and long heads', async () => {
    const headers = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`x-${index}`, '1']));
    expect((await send({ headers })).reason).toContain('too many http header lines');
    expect((await send({ headers: { 'x-long': 'a'.repeat(9000) } })).reason).toBe('http header too large');
  });

  it('answers an unknown path or method with 501 and a body', async () => {
    const answer = await api().get('/no/such/thing');
    expect(answer.status).toBe(501);
    expect(answer.json).toEqual({ data: null, message: "Method 'GET /no/such/thing' not implemented\n" });
    expect((await api().delete('/version')).status).toBe(501);
  });
});

describe('sign-in', () => {
  it('answers 401 with an empty body after three seconds', async () => {
    const before = sim.clock.now();
    const answer = await rawRequest(pve1(), 'GET', '/version');
    expect([answer.status, answer.reason, answer.text]).toEqual([401, 'No ticket', '']);
    expect(sim.clock.now() - before).toBeGreaterThanOrEqual(2999);
  });

  it('does not reveal why credentials are wrong', async () => {
    for (const wrong of [`${token()}x`, 'fabric@pve!nope=x', 'nobody@here!x1=y']) {
      expect((await rawRequest(pve1(), 'GET', '/version', { token: wrong })).reason).toBe('Authentication failed!');
    }
  });

  it('accepts a blank separator and an encoded token, and stops at a semicolon', async () => {
    const [id = '', secret = ''] = token().split('=');
    for (const authorization of [
      `PVEAPIToken ${token()}`,
      `PVEAPIToken=${encodeURIComponent(id)}=${secret}`,
      `PVEAPIToken=${token()};ignored`,
    ]) {
      expect((await send({ headers: { authorization } })).status).toBe(200);
    }
  });

  it('prefers a cookie over the token', async () => {
    expect((await send({ headers: { cookie: 'PVEAuthCookie=PVE:x' } })).status).toBe(401);
  });
});

describe('parameters', () => {
  const options = '/nodes/pve1/qemu/100/firewall/options';

  it.each(['true', 'yes', 'on'])('refuses the word %s as a boolean in a form', async (word) => {
    const answer = await api().put(options, { dhcp: word });
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toEqual({ dhcp: `type check ('boolean') failed - got '${word}'` });
  });

  it('accepts JSON booleans', async () => {
    const answer = await rawRequest(pve1(), 'PUT', options, {
      token: token(),
      body: JSON.stringify({ dhcp: false, ndp: 1 }),
      contentType: 'application/json',
    });
    expect(answer.status).toBe(200);
    expect((await api().get(options)).json.data).toMatchObject({ dhcp: 0, ndp: 1 });
  });

  it('refuses unknown parameters and names them', async () => {
    const answer = await api().put(options, { nonsense: 1 });
    expect(answer.json).toEqual({
      data: null,
      message: 'Parameter verification failed.\n',
      errors: { nonsense: 'property is not defined in schema and the schema does not allow additional properties' },
    });
    expect(answer.reason).toBe('Parameter verification failed.');
  });

  it('lets the query override the body', async () => {
    await api().put(`${options}?radv=1`, { radv: 0 });
    expect((await api().get(options)).json.data.radv).toBe(1);
  });

  it('separates form pairs at semicolons too', async () => {
    await api().put(options, 'radv=0;macfilter=0');
    expect((await api().get(options)).json.data).toMatchObject({ radv: 0, macfilter: 0 });
  });

  it('accepts a path parameter in the body only with the same value', async () => {
    expect((await api().put(options, { vmid: 100, radv: 0 })).status).toBe(200);
    const answer = await api().put(options, { vmid: 101, radv: 0 });
    expect(answer.json.errors).toEqual({
      vmid: 'duplicate parameter (already defined in URI) with conflicting values!',
    });
  });

  it('checks rights before parameters', async () => {
    const reader = client(pve1(), sim.cluster().tokens.reader);
    const answer = await reader.put(options, { nonsense: 1 });
    expect([answer.status, answer.reason]).toEqual([403, 'Permission check failed (/vms/100, VM.Config.Network)']);
  });
});

describe('connections', () => {
  it('keeps a connection after a success and closes it after a failure', async () => {
    const agent = new Agent({ keepAlive: true });
    expect((await send({ agent })).headers.connection).toBe('keep-alive');
    expect((await send({ agent, path: '/nodes/pve1/qemu/999/config' })).headers.connection).toBe('close');
    agent.destroy();
  });

  it('ends a connection after a hundred requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let last: unknown;
    for (let count = 0; count < 100; count++) last = (await send({ agent })).headers.connection;
    agent.destroy();
    expect(last).toBe('close');
  });

  it('compresses long answers on request only', async () => {
    const long = '/cluster/firewall/macros';
    expect((await api().get(long, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    expect((await api().get(long)).headers['content-encoding']).toBeUndefined();
    expect((await api().get('/version', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  });
});

describe('an older release', () => {
  it('tells errors only in the status line, names the reason of a 401 and accepts 64 KiB', async () => {
    const old = await startSimulator({ scenario: chaos, timeScale: 200 });
    try {
      const alone = old.cluster('alone');
      const solo = alone.node('solo');
      const failed = await client(solo, alone.tokens.manager).get('/nodes/solo/qemu/999/config');
      expect(failed.reason).toBe("Configuration file 'nodes/solo/qemu-server/999.conf' does not exist");
      expect(failed.json).toEqual({ data: null });
      expect((await rawRequest(solo, 'GET', '/version', { token: `${alone.tokens.manager}x` })).reason).toBe(
        'invalid token value!',
      );
      const large = await client(solo, alone.tokens.manager).put(
        '/nodes/solo/qemu/100/firewall/options',
        'a'.repeat(65_537),
      );
      expect(large.reason).toBe('for data too large');
    } finally {
      await old.close();
    }
  });
});
