import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { type DistinguishedName, fingerprint256, generateKeys, issueCertificate, type KeyPair } from './certificate';

const DAY = 86_400_000;

export type NodeCertificate = { certPem: string; keyPem: string; fingerprint256: string; altNames: string[] };

/** What an authority needs to be the same one again. */
export type AuthorityKeys = { caPem: string; caKeyPem: string };

export type ClusterAuthority = AuthorityKeys & {
  /** A new leaf with a new key, valid for two years from `now`, as the node's daily update job would issue it. */
  issueLeaf(node: { name: string; fqdn: string; ip: string }, now: Date): NodeCertificate;
};

const serial = () => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40; // positive, and never a leading zero byte
  return bytes;
};

const keysFrom = (caKeyPem: string): KeyPair => {
  const privateKey = createPrivateKey(caKeyPem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
};

/**
 * The private CA a cluster creates once (ten years) to sign the certificate of every node.
 * @param kept the authority this cluster had before, to go on with it
 */
export function createClusterAuthority(clusterId: string, now: Date, kept?: AuthorityKeys): ClusterAuthority {
  const keys = kept ? keysFrom(kept.caKeyPem) : generateKeys();
  const subject: DistinguishedName = {
    cn: 'Proxmox Virtual Environment',
    ou: clusterId,
    o: 'PVE Cluster Manager CA',
  };
  const notBefore = new Date(now.getTime() - DAY);
  const caPem =
    kept?.caPem ??
    issueCertificate({
      subject,
      issuer: subject,
      publicKey: keys.publicKey,
      issuerKeys: keys,
      serial: serial(),
      notBefore,
      notAfter: new Date(now.getTime() + 3650 * DAY),
      altNames: [],
      isCa: true,
    });
  return {
    caPem,
    caKeyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issueLeaf(node, issuedAt) {
      const leafKeys = generateKeys();
      const altNames = ['127.0.0.1', '::1', 'localhost', node.ip, node.name, node.fqdn];
      const certPem = issueCertificate({
        subject: { ou: 'PVE Cluster Node', o: 'Proxmox Virtual Environment', cn: node.fqdn },
        issuer: subject,
        publicKey: leafKeys.publicKey,
        issuerKeys: keys,
        serial: serial(),
        // One day back: real clocks differ, and a scaled virtual clock may run ahead of the TLS client's.
        notBefore: new Date(Math.min(issuedAt.getTime(), Date.now()) - DAY),
        notAfter: new Date(issuedAt.getTime() + 730 * DAY),
        altNames,
        isCa: false,
      });
      const keyPem = leafKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { certPem, keyPem, fingerprint256: fingerprint256(certPem), altNames };
    },
  };
}
