import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type Cidr, cidrContains, parseCidr } from '@/domain/net/cidr';
import { type IpAddress, parseIp, unmapIp } from '@/domain/net/ip-address';

/** Ranges where no hypervisor of an administrator lives, but this machine's own and its cloud's services do. */
const REFUSED = (
  [
    ['0.0.0.0/8', 'this host'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local, cloud metadata'],
    ['100.100.100.200/32', 'cloud metadata'],
    ['168.63.129.16/32', 'cloud metadata'],
    ['192.0.0.192/32', 'cloud metadata'],
    ['224.0.0.0/4', 'multicast'],
    ['240.0.0.0/4', 'reserved, broadcast'],
    ['::/128', 'this host'],
    ['::1/128', 'loopback'],
    ['fe80::/10', 'link-local'],
    ['fec0::/10', 'site-local'],
    ['fd00:ec2::254/128', 'cloud metadata'],
    ['fd20:ce::254/128', 'cloud metadata'],
    ['ff00::/8', 'multicast'],
  ] as const
).map(([text, name]) => ({ cidr: parseCidr(text), name }));

/** An organization's own networks, for those who must not reach into them from here. */
const PRIVATE = (
  [
    ['10.0.0.0/8', 'private network'],
    ['100.64.0.0/10', 'shared address space'],
    ['172.16.0.0/12', 'private network'],
    ['192.0.0.0/24', 'special purpose'],
    ['192.168.0.0/16', 'private network'],
    ['198.18.0.0/15', 'benchmarking'],
    ['fc00::/7', 'private network'],
  ] as const
).map(([text, name]) => ({ cidr: parseCidr(text), name }));

/** Ranges that carry an IPv4 address in their lowest 32 bits (NAT64, IPv4-compatible, translated). */
const EMBEDDING = ['64:ff9b::/96', '::/96', '::ffff:0:0:0/96'].map(parseCidr);
const SIX_TO_FOUR = parseCidr('2002::/16');

/** The address itself and every IPv4 address that a packet to it may end up at. */
function destinations(ip: IpAddress): IpAddress[] {
  const found = [unmapIp(ip)];
  if (ip.family === 6) {
    if (EMBEDDING.some((cidr) => cidr && cidrContains(cidr, ip)))
      found.push({ family: 4, value: ip.value & 0xffffffffn });
    if (SIX_TO_FOUR && cidrContains(SIX_TO_FOUR, ip)) found.push({ family: 4, value: (ip.value >> 80n) & 0xffffffffn });
  }
  return found;
}

/** Which addresses may be connected to. `null` from `refusal` means allowed. */
export type AddressGuard = { refusal: (address: string) => string | null };

/**
 * Private networks are allowed, since clusters live there, unless `publicOnly` says otherwise; loopback, link-local,
 * metadata and multicast are not. What `allowed` (CIDRs) names is allowed in any case.
 */
export function createAddressGuard(
  allowed: readonly string[],
  { publicOnly = false }: { publicOnly?: boolean } = {},
): AddressGuard {
  const refused = publicOnly ? [...REFUSED, ...PRIVATE] : REFUSED;
  const allow = allowed.map(parseCidr).filter((cidr): cidr is Cidr => cidr !== null);
  return {
    refusal(text) {
      const ip = parseIp(text.split('%')[0] ?? '');
      if (!ip) return 'not an address';
      for (const target of destinations(ip)) {
        if (allow.some((cidr) => cidrContains(cidr, target) || cidrContains(cidr, ip))) continue;
        const hit = refused.find(({ cidr }) => cidr && cidrContains(cidr, target));
        if (hit) return hit.name;
      }
      return null;
    },
  };
}

/** A name resolved to addresses none of which may be connected to. */
export class RefusedAddressError extends Error {
  constructor(
    readonly address: string,
    readonly reason: string,
  ) {
    super(`${address} is not an allowed target (${reason})`);
  }

  /** The refusal of a target that was entered as `host`: the address itself, or a name that resolves to it. */
  messageFor(host: string): string {
    if (host === this.address || host === `[${this.address}]`) return this.message;
    return `${host} resolves to ${this.address}, which is not an allowed target (${this.reason})`;
  }
}

/**
 * A `lookup` for sockets that yields allowed addresses only. The socket connects to exactly what was checked here: a
 * name that resolves differently a moment later changes nothing.
 */
export function guardedLookup(guard: AddressGuard, resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const allowed = addresses.filter(({ address }) => guard.refusal(address) === null);
      const [first] = allowed;
      if (!first) {
        const address = addresses[0]?.address ?? hostname;
        return callback(new RefusedAddressError(address, guard.refusal(address) ?? 'no address'), '', 0);
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
