import { randomBytes } from 'node:crypto';

/** What every API token begins with, so that scanners for leaked secrets recognise it. */
export const API_TOKEN_PREFIX = 'fabric_api_';

/** How much of a token is kept to tell it from others: worth nothing to a thief. */
const SHOWN = API_TOKEN_PREFIX.length + 6;

/** A new token of 256 random bits, and the part of it that is shown afterwards. */
export function newApiToken(): { token: string; prefix: string } {
  const token = API_TOKEN_PREFIX + randomBytes(32).toString('base64url');
  return { token, prefix: token.slice(0, SHOWN) };
}
