import { formatHostPort, parseHostPort } from '@/domain/net/host-port';
import { publicOriginOf } from '../auth/origin';
import { AppError } from '../lib/errors';

/** `host[:port]` in its canonical form; null when it is anything else, or has characters that a shell could read. */
function hostOf(text: string): string | null {
  const parsed = parseHostPort(text);
  const host = parsed && formatHostPort(parsed.host, parsed.port);
  return host && /^[a-z0-9.:[\]-]+$/.test(host) ? host : null;
}

/**
 * The address under which the caller reached the service, without trailing slash: behind a trusted proxy what that says, else the
 * request's own. Only for answers that nobody stores: a caller can say anything as its Host.
 * @throws AppError `malformed` when the request's own host is none
 */
export function baseUrlOf(request: Request): string {
  const own = publicOriginOf(request);
  const host = hostOf(own.host);
  if (!host) throw new AppError('malformed', 'The Host header is not a host name or address with an optional port.');
  return `${own.protocol}://${host}`;
}
