import { createClusterAuthority } from '@fabric/simulator/pki/cluster-authority';
import { describe, expect, it } from 'vitest';
import { issueNodeCertificate, otherAuthority, sendJson, serveApi } from '../testing/api-server.fixture';
import { makeAccess, testClient } from '../testing/client.fixture';
import { namedLeaf } from '../testing/named-leaf.fixture';
import { apiPath } from './encode';

const version = apiPath`/version`;
const ok = { data: 'ok' };
/** Answers /nodes with the fingerprints of these certificates, everything else with `ok`. */
const nodesWith =
  (...fingerprints: (() => string)[]): Parameters<typeof serveApi>[0] =>
  (request, response) =>
    sendJson(response, {
      data: request.url?.startsWith('/api2/json/nodes')
        ? fingerprints.map((fingerprint, i) => ({ node: `pve${i + 1}`, ssl_fingerprint: fingerprint() }))
        : 'ok',
    });

describe('a pinned certificate', () => {
  it('matches by its fingerprint alone, in any spelling', async () => {
    const server = await serveApi(nodesWith());
    const tls_fingerprint = server.certificate.fingerprint256;
    const client = testClient(
      makeAccess([server], { tls_ca: null, tls_fingerprint: tls_fingerprint.replaceAll(':', '').toLowerCase() }),
    );
    await expect(client.get(version)).resolves.toMatchObject(ok);
    expect(client.primary?.connection.lastShown).toEqual({ fingerprint: tls_fingerprint, basis: 'pin' });
  });

  it('prevents every byte of a request when it does not match', async () => {
    const server = await serveApi(nodesWith());
    const pinned = issueNodeCertificate().fingerprint256;
    const client = testClient(makeAccess([server], { tls_ca: null, tls_fingerprint: pinned }));
    for (const method of ['GET', 'POST'] as const) {
      await expect(client.request({ method, path: version })).rejects.toMatchObject({
        code: 'tls_changed',
        detail: { fingerprint: server.certificate.fingerprint256, expectedFingerprint: pinned },
      });
    }
    expect(server.requests).toEqual([]);
  });

  it('applies to each connection, also with a resumed session', async () => {
    const server = await serveApi(nodesWith());
    const client = testClient(
      makeAccess([server], { tls_ca: null, tls_fingerprint: server.certificate.fingerprint256 }),
    );
    await client.request({ method: 'PUT', path: version });
    server.renew(issueNodeCertificate('pve1', otherAuthority));
    await expect(client.request({ method: 'PUT', path: version })).rejects.toMatchObject({ code: 'tls_changed' });
    expect(server.requests).toHaveLength(1);
  });

  it('matches nothing when it is misspelled', async () => {
    const server = await serveApi(nodesWith());
    const client = testClient(makeAccess([server], { tls_ca: null, tls_fingerprint: 'AA:BB' }));
    await expect(client.get(version)).rejects.toMatchObject({ code: 'tls_changed' });
  });
});

describe('a renewed certificate', () => {
  it('verifies when the known CA of the cluster issued it, and the renewal is reported once', async () => {
    const server = await serveApi(nodesWith());
    const previous = issueNodeCertificate().fingerprint256;
    const client = testClient(makeAccess([server], { tls_fingerprint: previous }));
    await client.request({ method: 'PUT', path: version });
    await client.request({ method: 'PUT', path: version });
    const current = server.certificate.fingerprint256;
    expect(client.renewed).toEqual([{ url: server.url, previous, current, basis: 'cluster_ca' }]);
  });

  it('verifies when another node that is still trusted knows it', async () => {
    const renewed = issueNodeCertificate('pve1', otherAuthority);
    const first = await serveApi(nodesWith(), renewed);
    const second = await serveApi(
      nodesWith(
        () => renewed.fingerprint256,
        () => second.certificate.fingerprint256,
      ),
    );
    const access = makeAccess([first, second], {
      tls_ca: null,
      tls_fingerprint: issueNodeCertificate().fingerprint256,
    });
    const pinnedSecond = access.entry_points.map((e) => ({ ...e, fingerprint: second.certificate.fingerprint256 }));
    const client = testClient({ ...access, entry_points: pinnedSecond });
    await expect(client.get(version)).resolves.toMatchObject(ok);
    expect(client.renewed).toMatchObject([{ current: renewed.fingerprint256, basis: 'other_node' }]);
    expect(second.requests.map((r) => r.url)).toEqual(['/api2/json/nodes']);
  });

  it('fails when the other node does not know it', async () => {
    const first = await serveApi(nodesWith(), issueNodeCertificate('pve1', otherAuthority));
    const second = await serveApi(nodesWith(() => issueNodeCertificate().fingerprint256));
    const access = makeAccess([first], { tls_ca: null, tls_fingerprint: issueNodeCertificate().fingerprint256 });
    const entry_points = [{ node: 'pve2', url: second.url, fingerprint: second.certificate.fingerprint256 }];
    await expect(testClient({ ...access, entry_points }).get(version)).rejects.toMatchObject({ code: 'tls_changed' });
    expect(first.requests).toEqual([]);
  });

  it('fails when the other node knows it as that of a third one', async () => {
    const shown = issueNodeCertificate('pve9', otherAuthority);
    const first = await serveApi(nodesWith());
    const second = await serveApi(nodesWith(), shown);
    const third = await serveApi((_, response) =>
      sendJson(response, { data: [{ node: 'pve9', ssl_fingerprint: shown.fingerprint256 }] }),
    );
    await first.stop();
    const entry_points = [
      { node: 'pve2', url: second.url, fingerprint: issueNodeCertificate().fingerprint256 },
      { node: 'pve3', url: third.url, fingerprint: third.certificate.fingerprint256 },
    ];
    const client = testClient(makeAccess([first], { tls_ca: null, entry_points }));
    // The second is passed over, and the third answers the call itself.
    await expect(client.get(version)).resolves.toBeDefined();
    expect(second.requests).toEqual([]);
    expect(client.renewed).toEqual([]);
  });

  it('fails when only an untrusted node vouches for it', async () => {
    const shown = issueNodeCertificate('pve1', otherAuthority);
    const first = await serveApi(nodesWith(), shown);
    const second = await serveApi(
      nodesWith(() => shown.fingerprint256),
      issueNodeCertificate('pve2', otherAuthority),
    );
    for (const fingerprint of [null, issueNodeCertificate().fingerprint256]) {
      const access = makeAccess([first], { tls_ca: null, tls_fingerprint: issueNodeCertificate().fingerprint256 });
      const client = testClient({ ...access, entry_points: [{ node: 'pve2', url: second.url, fingerprint }] });
      await expect(client.get(version)).rejects.toMatchObject({ code: 'tls_changed' });
    }
    expect([...first.requests, ...second.requests]).toEqual([]);
  });

  it('fails when all nodes renewed at the same time and the CA does not know it', async () => {
    const [one, two] = [issueNodeCertificate('pve1', otherAuthority), issueNodeCertificate('pve2', otherAuthority)];
    const everything = nodesWith(
      () => one.fingerprint256,
      () => two.fingerprint256,
    );
    const first = await serveApi(everything, one);
    const second = await serveApi(everything, two);
    const access = makeAccess([first], { tls_fingerprint: issueNodeCertificate().fingerprint256 });
    const entry_points = [{ node: 'pve2', url: second.url, fingerprint: issueNodeCertificate().fingerprint256 }];
    await expect(testClient({ ...access, entry_points }).get(version)).rejects.toMatchObject({ code: 'tls_changed' });
    expect([...first.requests, ...second.requests]).toEqual([]);
  });
});

describe("the cluster's CA", () => {
  it('vouches for its nodes, reached by an address in the certificate', async () => {
    const server = await serveApi(nodesWith());
    const client = testClient(makeAccess([server]));
    await expect(client.get(version)).resolves.toMatchObject(ok);
    expect(client.primary?.connection.lastShown?.basis).toBe('cluster_ca');
  });

  it('vouches for a node by name when it is reached by an address that is not in the certificate', async () => {
    const { caPem, leaf } = namedLeaf('pve7', 'pve7.test');
    const server = await serveApi(nodesWith(), leaf);
    const access = makeAccess([server], { tls_ca: caPem });
    await expect(testClient(access).get(version)).rejects.toMatchObject({ code: 'tls_untrusted' });
    const entry_points = [{ node: 'pve7', url: server.url, fingerprint: null }];
    await expect(testClient({ ...access, entry_points }).get(version)).resolves.toMatchObject(ok);
  });

  it('does not vouch for the certificates of others', async () => {
    const server = await serveApi(nodesWith(), issueNodeCertificate('pve1', otherAuthority));
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'tls_untrusted',
      detail: { fingerprint: server.certificate.fingerprint256 },
    });
    expect(server.requests).toEqual([]);
  });

  it('does not vouch for an expired certificate', async () => {
    const issuedAt = new Date(Date.now() - 1000 * 86_400_000);
    const old = createClusterAuthority('old', issuedAt);
    const leaf = old.issueLeaf({ name: 'pve1', fqdn: 'pve1.test', ip: '192.0.2.1' }, issuedAt);
    const server = await serveApi(nodesWith(), leaf);
    await expect(testClient(makeAccess([server], { tls_ca: old.caPem })).get(version)).rejects.toMatchObject({
      code: 'tls_untrusted',
    });
  });
});

describe('a stored CA that cannot be read', () => {
  it('vouches for nothing', async () => {
    const server = await serveApi(nodesWith());
    const client = testClient(
      makeAccess([server], { tls_ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }),
    );
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'tls_untrusted',
      detail: { fingerprint: server.certificate.fingerprint256 },
    });
    expect(server.requests).toEqual([]);
  });
});

describe('an untrusted certificate', () => {
  it('returns an error with its fingerprint, so that an administrator can confirm it', async () => {
    const server = await serveApi(nodesWith());
    const client = testClient(makeAccess([server], { tls_ca: null }));
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'tls_untrusted',
      message: expect.stringContaining(server.certificate.fingerprint256),
      detail: { fingerprint: server.certificate.fingerprint256 },
    });
    expect(server.requests).toEqual([]);
  });
});
