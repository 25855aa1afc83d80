import { PveError } from '../pve-error';
import type { PveVersion } from '../pve-version';
import { percentDecode } from '../transport/request-body';
import type { AccessControl } from './acl';

/** Who is calling: `subject` is the token id (or user), `userId` its owner. */
export type Caller = { subject: string; userId: string; tokenName: string | undefined };

const TOKEN_ID = /^([^\s:/]+@[A-Za-z][A-Za-z0-9._-]+)!([A-Za-z][A-Za-z0-9._-]+)$/;

/** Token text of an `Authorization` header: scheme, then `=` or a blank, up to the first `;`, percent-decoded. */
export function extractToken(header: string | undefined): string | undefined {
  const value = /^PVEAPIToken(?:=|\s)\s*([^;]*)/.exec(header ?? '')?.[1];
  return value === undefined || value === '' ? undefined : percentDecode(value.trim());
}

/**
 * Verifies the caller of one request.
 * Throws a 401 `PveError`: `No ticket` without usable credentials, otherwise a text that depends on the release.
 */
export function signIn(
  access: AccessControl,
  version: PveVersion,
  headers: { authorization: string | undefined; cookie: string | undefined },
  nowSeconds: number,
): Caller {
  // A ticket cookie wins over a token. The simulator issues no tickets, so such a cookie never verifies.
  if (/(?:^|;\s*)PVEAuthCookie=[^;]+/.test(headers.cookie ?? '')) {
    throw new PveError(
      401,
      version.unifiedSignInErrors ? 'Authentication failed!' : 'permission denied - invalid PVE ticket',
    );
  }
  const token = extractToken(headers.authorization);
  if (token === undefined) throw new PveError(401, 'No ticket');
  const reason = (text: string) => new PveError(401, version.unifiedSignInErrors ? 'Authentication failed!' : text);

  const split = token.lastIndexOf('=');
  const id = split < 0 ? token : token.slice(0, split);
  const [, userId, tokenName] = TOKEN_ID.exec(id) ?? [];
  if (split < 0 || userId === undefined || tokenName === undefined) throw new PveError(401, 'No ticket');

  const user = access.users.get(userId);
  if (!user) throw reason(`no such user ('${userId}')`);
  if (!user.enabled) throw reason(`user '${userId}' is disabled`);
  if (user.expire > 0 && user.expire <= nowSeconds) throw reason(`user '${userId}' access expired`);
  const known = access.tokens.get(id);
  if (!known) throw reason(`no such token '${tokenName}' for user '${userId}'`);
  if (known.expire > 0 && known.expire <= nowSeconds) throw reason(`token '${tokenName}' access expired`);
  if (known.secret !== token.slice(split + 1)) throw reason('invalid token value!');
  return { subject: id, userId, tokenName };
}
