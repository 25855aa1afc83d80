import { parseHostPort } from '@/domain/net/host-port';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import { newId } from '../lib/ids';
import type { Origin } from './scope';

/** Set by our own HTTP entry (src/runtime/peer-header.ts) from the socket or a trusted proxy's headers. */
export const PEER_HEADER = 'x-fabric-peer';
/** `http` or `https`, as the browser sees it; set by the same entry. */
export const PROTO_HEADER = 'x-fabric-proto';
/** The `host[:port]` that the browser asked for; set by the same entry. */
export const HOST_HEADER = 'x-fabric-host';

/** `yes` when the request came with forwarding headers, trusted or not; set by the same entry. */
export const FORWARDED_HEADER = 'x-fabric-forwarded';

/** Set on `globalThis` by the entry that stamps the headers; without it they could be a client's invention and are ignored. */
export const STAMPED = Symbol.for('fabric.peer-header');

function getStampedHeader(request: Request, header: string): string | null {
  return Reflect.get(globalThis, STAMPED) === true ? request.headers.get(header) : null;
}

/** Request id (a well-formed one of the caller is kept) and source address of a request. */
export function getRequestOrigin(request: Request): Origin {
  const given = request.headers.get('x-request-id');
  const peer = parseIp(getStampedHeader(request, PEER_HEADER) ?? '');
  return {
    request_id: given && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : newId(),
    source_address: peer && formatIp(unmapIp(peer)),
  };
}

/**
 * Whether a `host[:port]` names this machine to itself. A page of another site whose name was made to lead to a loopback address
 * still sends its own name.
 */
export function isLoopbackHost(host: string): boolean {
  const name = parseHostPort(host)?.host ?? '';
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Whether the request was made on this machine, by a name of this machine. Requests forwarded by a proxy on this
 * machine were not, even when the proxy is not declared trusted. (Next adds forwarding headers of its own, so a
 * handler cannot tell by looking for them.)
 */
export function isLocal(request: Request): boolean {
  const { source_address } = getRequestOrigin(request);
  const loopback = source_address === '::1' || source_address?.startsWith('127.') === true;
  return (
    loopback && getStampedHeader(request, FORWARDED_HEADER) === 'no' && isLoopbackHost(getPublicOrigin(request).host)
  );
}

/** Scheme and host under which the browser reached us: behind a trusted proxy those of the proxy. */
export function getPublicOrigin(request: Request): { protocol: 'http' | 'https'; host: string } {
  const url = new URL(request.url);
  const proto = getStampedHeader(request, PROTO_HEADER) ?? url.protocol.slice(0, -1);
  return {
    protocol: proto === 'https' ? 'https' : 'http',
    host: getStampedHeader(request, HOST_HEADER) ?? request.headers.get('host') ?? url.host,
  };
}
