import { randomBytes } from 'node:crypto';
import { fingerprint256, generateKeys, issueCertificate } from '@fabric/simulator/pki/certificate';
import type { NodeCertificate } from '@fabric/simulator/pki/cluster-authority';

const DAY = 86_400_000;

/** A new CA and one certificate of it for exactly these names: what a node behind a forwarded port shows. */
export function namedLeaf(...altNames: string[]): { caPem: string; leaf: NodeCertificate } {
  const [caKeys, leafKeys] = [generateKeys(), generateKeys()];
  const issuer = { cn: 'Test CA' };
  const shared = {
    issuer,
    issuerKeys: caKeys,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
  };
  const serial = () => Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const caPem = issueCertificate({
    ...shared,
    subject: issuer,
    publicKey: caKeys.publicKey,
    serial: serial(),
    altNames: [],
    isCa: true,
  });
  const certPem = issueCertificate({
    ...shared,
    subject: { cn: altNames[0] ?? 'nobody' },
    publicKey: leafKeys.publicKey,
    serial: serial(),
    altNames,
    isCa: false,
  });
  const keyPem = leafKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { caPem, leaf: { certPem, keyPem, fingerprint256: fingerprint256(certPem), altNames } };
}
