import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClusterAuthority } from './cluster-authority';

const now = new Date('2026-11-21T00:00:00Z');
const node = { name: 'pve1', fqdn: 'pve1.lab.example', ip: '127.0.10.1' };

describe('a cluster authority', () => {
  const authority = createClusterAuthority('1b2c', now);
  const ca = new X509Certificate(authority.caPem);
  const leaf = authority.issueLeaf(node, now);
  const certificate = new X509Certificate(leaf.certPem);

  it('signs itself for ten years', () => {
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.subject).toContain('Proxmox Virtual Environment');
    expect(new Date(ca.validTo).getUTCFullYear()).toBe(2036);
  });

  it('issues leafs that chain to it and name the node in every way', () => {
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    for (const host of ['localhost', 'pve1', 'pve1.lab.example']) expect(certificate.checkHost(host)).toBe(host);
    for (const ip of ['127.0.0.1', '::1', '127.0.10.1']) expect(certificate.checkIP(ip)).toBe(ip);
    expect(leaf.fingerprint256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  it('issues certificates for at most two years, and another one on renewal', () => {
    expect(new Date(certificate.validTo).getTime() - now.getTime()).toBe(730 * 86_400_000);
    const renewed = authority.issueLeaf(node, now);
    expect(renewed.fingerprint256).not.toBe(leaf.fingerprint256);
    expect(new X509Certificate(renewed.certPem).checkIssued(ca)).toBe(true);
  });

  it('fails verification by another cluster', () => {
    const other = new X509Certificate(createClusterAuthority('3d4e', now).caPem);
    expect(certificate.verify(other.publicKey)).toBe(false);
  });

  it('writes dates after 2049 in the long form', () => {
    const late = createClusterAuthority('5f', new Date('2055-01-01T00:00:00Z'));
    expect(new Date(new X509Certificate(late.caPem).validFrom).getUTCFullYear()).toBe(2054);
  });
});
