import { isIP } from 'node:net';
import { newId } from '../lib/ids';
import type { Origin } from './scope';

/** Set by our own HTTP server from the socket (or from trusted proxies' headers); a client's own value never gets here. */
export const PEER_HEADER = 'x-fabric-peer';

/** Request id (a well-formed one of the caller is kept) and source address of a request. */
export function originOf(request: Request): Origin {
  const given = request.headers.get('x-request-id');
  const peer = request.headers.get(PEER_HEADER);
  return {
    request_id: given && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : newId(),
    source_address: peer && isIP(peer) ? peer : null,
  };
}
