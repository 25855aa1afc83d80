import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500 });
});
afterEach(() => sim.close());

const readPeerCertificate = (name: string) =>
  new Promise<X509Certificate>((resolve, reject) => {
    const { ip, port } = sim.cluster().node(name);
    const socket = connect({ host: ip, port, rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw));
      socket.destroy();
    });
    socket.on('error', reject);
  });

describe('certificates', () => {
  it('differ per node and have the same authority', async () => {
    const ca = new X509Certificate(sim.cluster().node('pve1').caPem);
    const seen = new Set<string>();
    for (const { name, fingerprint256 } of sim.cluster().nodes) {
      const certificate = await readPeerCertificate(name);
      expect(certificate.fingerprint256).toBe(fingerprint256);
      expect(certificate.verify(ca.publicKey)).toBe(true);
      seen.add(certificate.fingerprint256);
    }
    expect(seen.size).toBe(3);
  });

  it('change on renewal under the running listener', async () => {
    const before = sim.cluster().node('pve1').fingerprint256;
    const renewed = sim.cluster().renewCertificate('pve1');
    expect(renewed).not.toBe(before);
    expect((await readPeerCertificate('pve1')).fingerprint256).toBe(renewed);
    const api = client(sim.cluster().node('pve1'), sim.cluster().tokens.manager);
    expect((await api.get('/nodes')).json.data[0].ssl_fingerprint).toBe(renewed);
  });

  it('may come from elsewhere and go back', async () => {
    const own = sim.cluster().node('pve2').fingerprint256;
    sim.cluster().setCustomCertificate('pve2', true);
    const certificate = await readPeerCertificate('pve2');
    expect(certificate.fingerprint256).not.toBe(own);
    expect(certificate.verify(new X509Certificate(sim.cluster().node('pve2').caPem).publicKey)).toBe(true);
    expect(certificate.verify(new X509Certificate(sim.cluster().node('pve1').caPem).publicKey)).toBe(false);
    const info = await client(sim.cluster().node('pve1'), sim.cluster().tokens.reader).get(
      '/nodes/pve2/certificates/info',
    );
    expect(info.json.data.map((entry: { filename: string }) => entry.filename)).toContain('pveproxy-ssl.pem');
    sim.cluster().setCustomCertificate('pve2', false);
    expect((await readPeerCertificate('pve2')).fingerprint256).toBe(own);
  });
});

describe('rules inserted manually', () => {
  it('land at the requested position of the list', () => {
    const { firewall } = sim.cluster();
    firewall.setFile('firewall/300.fw', undefined);
    firewall.insertRule(300, 'IN ACCEPT # b');
    firewall.insertRule(300, 'IN ACCEPT # a');
    firewall.insertRule(300, 'IN ACCEPT # c', 99);
    expect(firewall.guestFile(300)?.match(/# \w/g)).toEqual(['# a', '# b', '# c']);
  });
});
