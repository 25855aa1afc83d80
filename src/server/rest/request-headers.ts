import { formatHostPort, parseHostPort } from '@/domain/net/host-port';
import { getPublicOrigin } from '../auth/origin';
import { AppError } from '../lib/errors';

/** `host[:port]` in its canonical form; null when it is anything else, or has characters that a shell could read. */
function normalizeHost(text: string): string | null {
  const parsed = parseHostPort(text);
  const host = parsed && formatHostPort(parsed.host, parsed.port);
  return host && /^[a-z0-9.:[\]-]+$/.test(host) ? host : null;
}

/**
 * The address under which the caller reached the service, without trailing slash: taken from a trusted proxy's
 * headers, otherwise from the request itself. Only for responses that are not stored: a caller can send any Host.
 * @throws AppError `malformed` when the request's own host is not valid
 */
export function getBaseUrl(request: Request): string {
  const own = getPublicOrigin(request);
  const host = normalizeHost(own.host);
  if (!host) throw new AppError('malformed', 'The Host header is not a host name or address with an optional port.');
  return `${own.protocol}://${host}`;
}

/** Names the program for the list of sign-ins; control characters have no business there. */
export function getClientInfo(request: Request): { user_agent: string | null } {
  const agent = request.headers.get('user-agent')?.replace(/[^\x20-\x7e]/g, '?');
  return { user_agent: agent ? agent.slice(0, 300) : null };
}

/**
 * The version that `If-Match` asks for, from `"3"`, `W/"3"` or `3`; undefined without the header or for `*`.
 * @throws AppError `malformed` when it is not a version that Fabric issues
 */
export function parseIfMatch(request: Request): number | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const version = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header)?.[1];
  if (version === undefined) {
    throw new AppError('malformed', 'The If-Match header is not a version of this resource.', {
      errors: [{ field: 'If-Match', message: 'Send the version that you read, for example "3".' }],
    });
  }
  return Number(version);
}
