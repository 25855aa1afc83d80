import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAddressGuard, guardedLookup } from '../../../net/address-guard';
import { sendJson, serveApi } from '../testing/api-server.fixture';
import { LOOPBACK } from '../testing/client.fixture';
import { namedLeaf } from '../testing/named-leaf.fixture';
import { checkCertificate, type ShownCertificate, type TrustPolicy } from './certificate-trust';
import { openTlsSocket } from './tls-socket';

const { leaf } = namedLeaf('pve1', 'pve1.test', '192.0.2.1');
const certificate = new X509Certificate(leaf.certPem);
const shown = (changes: Partial<ShownCertificate>): ShownCertificate => ({
  certificate,
  chain: 'system_ca',
  chainError: null,
  nameError: null,
  ...changes,
});
const nothing: TrustPolicy = { fingerprint: null, ca: null, nodeNames: [] };
const OTHER = Array.from({ length: 32 }, () => 'AB').join(':');

describe('a certificate', () => {
  it.each([
    ['with the right name, trusted by the system', {}, nothing, 'trusted'],
    ['with another name', { nameError: 'Host: pve2. is not in the cert' }, nothing, 'untrusted'],
    ['of an unknown issuer', { chainError: 'SELF_SIGNED' }, nothing, 'untrusted'],
    [
      'that is pinned, whoever issued it',
      { chainError: 'SELF_SIGNED' },
      { ...nothing, fingerprint: leaf.fingerprint256 },
      'trusted',
    ],
    ['trusted by the system while another is pinned', {}, { ...nothing, fingerprint: OTHER }, 'changed'],
    ['of the cluster while another is pinned', { chain: 'cluster_ca' }, { ...nothing, fingerprint: OTHER }, 'trusted'],
    [
      'not of the cluster while another is pinned',
      { chain: 'cluster_ca', chainError: 'x' },
      { ...nothing, fingerprint: OTHER },
      'changed',
    ],
    ['not of the cluster, nothing pinned', { chain: 'cluster_ca', chainError: 'x' }, nothing, 'try_system_ca'],
  ] as [string, Partial<ShownCertificate>, TrustPolicy, string][])('%s', (_, change, policy, verdict) => {
    expect(checkCertificate(shown(change), policy, 'pve1').verdict).toBe(verdict);
  });

  it.each([
    ['pve1', [], true],
    ['192.0.2.1', [], true],
    ['192.0.2.2', [], false],
    ['api.example.org', ['pve2', 'pve3'], false],
    ['api.example.org', ['pve2', 'pve1'], true],
  ])('verifies by the CA of the cluster when reached as %s with the nodes %j', (host, nodeNames, trusted) => {
    const trust = checkCertificate(shown({ chain: 'cluster_ca' }), { ...nothing, nodeNames }, host);
    expect(trust.verdict === 'trusted').toBe(trusted);
  });
});

describe('a connection', () => {
  it.each([
    [['localhost', '127.0.0.1'], null],
    [['pve1', '192.0.2.1'], expect.stringContaining('127.0.0.1')],
  ])('reports whether the name of the certificate %j matches 127.0.0.1', async (names, nameError) => {
    const own = namedLeaf(...names);
    const server = await serveApi((_, response) => sendJson(response, { data: 1 }), own.leaf);
    const guard = createAddressGuard(LOOPBACK);
    const target = { host: '127.0.0.1', port: server.port, guard, lookup: guardedLookup(guard), timeoutMs: 2000 };
    for (const [ca, chainError] of [
      [null, expect.any(String)],
      [own.caPem, null],
    ] as const) {
      const opened = await openTlsSocket(target, ca);
      opened.socket.destroy();
      expect(opened.shown).toMatchObject({ nameError, chainError });
      expect(opened.shown.certificate.fingerprint256).toBe(own.leaf.fingerprint256);
    }
  });
});
