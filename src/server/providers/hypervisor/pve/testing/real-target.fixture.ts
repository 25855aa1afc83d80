import { isIPv4, isIPv6 } from 'node:net';

/** A cluster that the person who runs the tests named. */
export type RealTarget = {
  readonly url: string;
  readonly token: string;
  readonly fingerprint: string | null;
  /** Guests whose firewall the tests may change. */
  readonly writable: readonly number[];
  /** Loopback addresses, where the cluster is named by one: the address rules are relaxed for it and nothing else. */
  readonly allow_targets: string[];
};

function listLoopbackRanges(url: string): string[] {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost') return ['127.0.0.0/8', '::1/128'];
  if (isIPv4(host) && host.startsWith('127.')) return ['127.0.0.0/8'];
  return isIPv6(host) && host === '::1' ? ['::1/128'] : [];
}

/**
 * The cluster in `PVE_TEST_URL`, `PVE_TEST_TOKEN`, `PVE_TEST_FINGERPRINT` and `PVE_TEST_WRITABLE` (numbers of guests,
 * separated by commas); null when none is named.
 */
export function realTarget(env: Readonly<Record<string, string | undefined>>): RealTarget | null {
  const { PVE_TEST_URL: url, PVE_TEST_TOKEN: token, PVE_TEST_FINGERPRINT: fingerprint, PVE_TEST_WRITABLE: list } = env;
  if (!url || !token) return null;
  const texts = (list ?? '').split(',').filter((text) => text.trim() !== '');
  const writable = texts.map((text) => {
    const vmid = Number(text);
    if (!Number.isInteger(vmid) || vmid < 100) throw new Error(`PVE_TEST_WRITABLE: '${text}' is not a guest's number.`);
    return vmid;
  });
  return { url, token, fingerprint: fingerprint || null, writable, allow_targets: listLoopbackRanges(url) };
}
