import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { formatHostPort, parseHostPort } from '@/domain/net/host-port';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import { FORWARDED_HEADER, HOST_HEADER, PEER_HEADER, PROTO_HEADER } from '@/server/auth/origin';

export type Peer = { address: string | null; proto: 'http' | 'https'; host: string | null };

type Connection = { address: string | undefined; encrypted: boolean };
type Headers = Record<string, string | string[] | undefined>;

/** Whether an address belongs to a proxy whose forwarding headers are trusted. */
export function trustedProxies(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/');
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The canonical address in a hop of `X-Forwarded-For`, which may carry a port; null when it is none. */
function parseHopAddress(text: string): string | null {
  const host = parseHostPort(text.trim())?.host;
  const ip = parseIp(host ?? '');
  return ip && formatIp(unmapIp(ip));
}

/** The values of a list header, in the order in which the hops added them. */
const parseList = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',').filter((item) => item.trim() !== '');

/**
 * Where a request comes from and how the browser addressed us. Only a trusted proxy's headers count: of
 * `X-Forwarded-For` the right-most address that is no trusted proxy, of `X-Forwarded-Proto` and `-Host` the last value.
 */
export function resolvePeer(connection: Connection, headers: Headers, isTrusted: (address: string) => boolean): Peer {
  const socket = parseHopAddress(connection.address ?? '');
  const own = parseHostPort(String(headers.host ?? ''));
  const direct: Peer = {
    address: socket,
    proto: connection.encrypted ? 'https' : 'http',
    host: own && formatHostPort(own.host, own.port),
  };
  if (socket === null || !isTrusted(socket)) return direct;
  let address = socket;
  for (const hop of parseList(headers['x-forwarded-for']).reverse()) {
    const next = parseHopAddress(hop);
    // Behind a hop that cannot be read everything could be invented.
    if (next === null) break;
    address = next;
    if (!isTrusted(next)) break;
  }
  const proto = parseList(headers['x-forwarded-proto']).at(-1)?.trim().toLowerCase();
  const host = parseHostPort(parseList(headers['x-forwarded-host']).at(-1)?.trim() ?? '');
  return {
    address,
    proto: proto === 'https' || proto === 'http' ? proto : direct.proto,
    host: host ? formatHostPort(host.host, host.port) : direct.host,
  };
}

const OURS = [PEER_HEADER, PROTO_HEADER, HOST_HEADER, FORWARDED_HEADER];
const FORWARDING = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/** Replaces whatever the client sent under our names by what we know. */
export function stampRequest(request: IncomingMessage, isTrusted: (address: string) => boolean): void {
  const encrypted = Reflect.get(request.socket, 'encrypted') === true;
  const peer = resolvePeer({ address: request.socket.remoteAddress, encrypted }, request.headers, isTrusted);
  const forwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
  const values: (string | null)[] = [peer.address, peer.proto, peer.host, forwarded ? 'yes' : 'no'];
  const raw: string[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    if (!OURS.includes(name.toLowerCase())) raw.push(name, request.rawHeaders[i + 1] ?? '');
  }
  for (const [i, name] of OURS.entries()) {
    const value = values[i];
    if (value === null || value === undefined) delete request.headers[name];
    else {
      request.headers[name] = value;
      raw.push(name, value);
    }
  }
  request.rawHeaders = raw;
}
