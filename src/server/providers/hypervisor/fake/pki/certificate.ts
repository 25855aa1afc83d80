import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { der } from './der';

const OID = {
  ecdsaSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
};

export type DistinguishedName = { ou?: string; o?: string; cn?: string };
export type KeyPair = { privateKey: KeyObject; publicKey: KeyObject };

export type CertificateRequest = {
  subject: DistinguishedName;
  issuer: DistinguishedName;
  publicKey: KeyObject;
  issuerKeys: KeyPair;
  serial: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  /** DNS names and IP addresses; empty for a CA. */
  altNames: string[];
  isCa: boolean;
};

/** P-256: thousands of times cheaper to generate than RSA, so a cluster of 24 nodes starts in milliseconds. */
export const generateKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

const distinguishedName = ({ ou, o, cn }: DistinguishedName): Buffer => {
  const part = (type: string, value: string | undefined) =>
    value === undefined ? [] : [der.set(der.sequence(der.oid(type), der.utf8(value)))];
  return der.sequence(...part(OID.organizationalUnit, ou), ...part(OID.organization, o), ...part(OID.commonName, cn));
};

const addressBytes = (address: string): Buffer => {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const words = [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
};

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

const extension = (type: string, value: Buffer, critical = false): Buffer =>
  der.sequence(der.oid(type), ...(critical ? [der.boolean(true)] : []), der.octets(value));

/** Builds and signs an X.509 v3 certificate (ECDSA with SHA-256); returns PEM. */
export function issueCertificate(request: CertificateRequest): string {
  const algorithm = der.sequence(der.oid(OID.ecdsaSha256));
  const extensions = [
    extension(OID.subjectKeyId, der.octets(keyId(request.publicKey))),
    extension(OID.authorityKeyId, der.sequence(der.implicit(0, keyId(request.issuerKeys.publicKey)))),
    extension(OID.basicConstraints, der.sequence(...(request.isCa ? [der.boolean(true)] : [])), true),
    // keyCertSign + cRLSign (bits 5, 6) or digitalSignature (bit 0)
    extension(OID.keyUsage, request.isCa ? der.bits(Buffer.from([0x06]), 1) : der.bits(Buffer.from([0x80]), 7), true),
  ];
  if (!request.isCa) extensions.push(extension(OID.extendedKeyUsage, der.sequence(der.oid(OID.serverAuth))));
  if (request.altNames.length > 0) {
    const names = request.altNames.map((name) =>
      isIP(name) ? der.implicit(7, addressBytes(name)) : der.implicit(2, Buffer.from(name, 'ascii')),
    );
    extensions.push(extension(OID.subjectAltName, der.sequence(...names)));
  }
  const toBeSigned = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(request.serial),
    algorithm,
    distinguishedName(request.issuer),
    der.sequence(der.time(request.notBefore), der.time(request.notAfter)),
    distinguishedName(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, { key: request.issuerKeys.privateKey, dsaEncoding: 'der' });
  const base64 = der.sequence(toBeSigned, algorithm, der.bits(signature)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

/** SHA-256 of the DER form, upper-case hex with colons, as PVE prints it. */
export const fingerprint256 = (pem: string): string => new X509Certificate(pem).fingerprint256;
