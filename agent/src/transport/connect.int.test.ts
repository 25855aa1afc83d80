import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWithTools } from '../../test/requirements';
import type { Trust } from './connect';
import { post } from './post';

describeWithTools('openssl')('TLS', () => {
  let directory: string;
  let server: Server;
  let port: number;
  let fingerprint: string;
  let identity: { key: Buffer; cert: Buffer };
  let requests = 0;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-tls-'));
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        ...subject,
        '-keyout',
        key,
        '-out',
        certificate,
      ],
      { stdio: 'ignore' },
    );
    const text = execFileSync('openssl', ['x509', '-in', certificate, '-noout', '-fingerprint', '-sha256'], {
      encoding: 'utf8',
    });
    fingerprint = (text.split('=')[1] as string).trim().replaceAll(':', '').toLowerCase();
    identity = { key: readFileSync(key), cert: readFileSync(certificate) };
    server = createServer(identity, (request, response) => {
      requests += 1;
      request.resume().on('end', () => response.end('{"ok":true}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    requests = 0;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true });
  });

  const send = (host: string, trust: Partial<Trust>) =>
    post(
      { url: new URL(`https://${host}:${port}`), trust: { caFile: null, fingerprint: null, ...trust } },
      '/x',
      Buffer.from('{}'),
      {
        token: 'secret',
        isGzip: false,
        agentVersion: '0',
      },
    );

  it('trusts a certificate of the given authority', async () => {
    expect(await send('localhost', { caFile: join(directory, 'cert.pem') })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
  });

  it('trusts the pinned certificate under any name', async () => {
    expect((await send('127.0.0.1', { fingerprint })).status).toBe(200);
    expect((await send('localhost', { fingerprint })).status).toBe(200);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  it.runIf(hasIpv6)('reaches a server by its IPv6 address', async () => {
    const other = createServer(identity, (request, response) => {
      request.resume().on('end', () => response.end('{"ok":true}'));
    });
    await new Promise<void>((resolve) => other.listen(port, '::1', resolve));
    try {
      expect(await send('[::1]', { fingerprint })).toMatchObject({ status: 200, body: { ok: true } });
      await expect(send('[::1]', { caFile: join(directory, 'cert.pem') })).rejects.toThrow('is for another name');
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('sends nothing to a server it does not trust, and says what to do', async () => {
    await expect(send('localhost', {})).rejects.toThrow(/set ca_file, or tls_fingerprint/);
    await expect(send('localhost', { fingerprint: '00'.repeat(32) })).rejects.toThrow(
      new RegExp(`pinned one \\(sha256 ${fingerprint}\\)`),
    );
    expect(requests).toBe(0);
  });
});
