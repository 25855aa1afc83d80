import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Why a certificate may be believed. `pin` and `cluster_ca` are the administrator's, `system_ca` the world's. */
export type TrustBasis = 'pin' | 'cluster_ca' | 'system_ca' | 'other_node';

export type TrustPolicy = {
  /** Pinned SHA-256 of the leaf, `AA:BB:…`. */
  fingerprint: string | null;
  /** PEM of the cluster's own CA. */
  ca: string | null;
  /** Node names of the cluster: the cluster's CA issues certificates for these only. */
  nodeNames: readonly string[];
};

/** What the TLS handshake showed; `chain` tells against which authorities the chain was checked. */
export type ShownCertificate = {
  certificate: X509Certificate;
  chain: 'cluster_ca' | 'system_ca';
  /** null when the chain is valid, else why not. */
  chainError: string | null;
  /** null when the certificate contains the host's name, else why not. */
  nameError: string | null;
};

export type CertificateTrust =
  | { verdict: 'trusted'; basis: TrustBasis }
  /** Not by the cluster's CA; the system's may still vouch. */
  | { verdict: 'try_system_ca' }
  | { verdict: 'changed' }
  | { verdict: 'untrusted'; reason: string };

/** Whether the certificate was issued for this host, or for a node of the cluster by its name. */
function isIssuedFor(certificate: X509Certificate, host: string, nodeNames: readonly string[]): boolean {
  const options = { subject: 'never', wildcards: false } as const;
  if (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, options)) return true;
  return nodeNames.some((name) => certificate.checkHost(name, options));
}

/** Decides whether the shown certificate may be believed. Pure; nothing is sent before it says `trusted`. */
export function checkCertificate(shown: ShownCertificate, policy: TrustPolicy, host: string): CertificateTrust {
  const { certificate, chain, chainError, nameError } = shown;
  if (policy.fingerprint !== null && certificate.fingerprint256 === policy.fingerprint)
    return { verdict: 'trusted', basis: 'pin' };
  if (chain === 'cluster_ca') {
    if (chainError === null && isIssuedFor(certificate, host, policy.nodeNames))
      return { verdict: 'trusted', basis: 'cluster_ca' };
    // A pin says that the system's authorities are not enough.
    return policy.fingerprint === null ? { verdict: 'try_system_ca' } : { verdict: 'changed' };
  }
  if (policy.fingerprint !== null) return { verdict: 'changed' };
  const problem = chainError ?? nameError;
  return problem === null ? { verdict: 'trusted', basis: 'system_ca' } : { verdict: 'untrusted', reason: problem };
}

/** A SHA-256 certificate fingerprint as `AA:BB:…` (32 pairs), from any usual spelling; null when it is not one. */
export function normalizeFingerprint(text: string): string | null {
  const digits = text
    .trim()
    .replace(/^sha-?256[\s:=]*(fingerprint[\s:=]*)?/i, '')
    .replace(/[\s:]/g, '');
  if (!/^[0-9a-f]{64}$/i.test(digits)) return null;
  return digits.toUpperCase().match(/../g)?.join(':') ?? null;
}
