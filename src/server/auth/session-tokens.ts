import { createHash, randomBytes, type webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { cache } from '../lib/cache';
import { clock } from '../lib/clock';
import { acceptedKeys, deriveKey } from '../lib/crypto';

export const ACCESS_TOKEN_SECONDS = 15 * 60;
export const REFRESH_TOKEN_SECONDS = 14 * 24 * 60 * 60;

const ISSUER = 'fabric';
const Claims = z.object({ sub: z.uuid(), sid: z.uuid(), typ: z.enum(['access', 'refresh']) });

/** `sub` is the user, `sid` the family of refresh tokens (one sign-in on one device). */
export type TokenClaims = z.infer<typeof Claims>;

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
/** To derive and import a key for each call would take longer than to verify its token. */
const keys = cache<Promise<webcrypto.CryptoKey>, null>({ name: 'session_keys', maxEntries: 2 });
const getKey = (secret: string) =>
  keys.load(secret, null, () =>
    crypto.subtle.importKey('raw', deriveKey('session-tokens', secret), HMAC, false, ['sign', 'verify']),
  );

/** Signs a token of either type. A refresh token has a random `jti`, so that two of the same second differ. */
export async function signToken(claims: TokenClaims): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const [present] = acceptedKeys();
  const life = claims.typ === 'access' ? ACCESS_TOKEN_SECONDS : REFRESH_TOKEN_SECONDS;
  return new SignJWT({ sid: claims.sid, typ: claims.typ })
    .setProtectedHeader({ alg: 'HS256', typ: claims.typ === 'access' ? 'at+jwt' : 'rt+jwt' })
    .setIssuer(ISSUER)
    .setSubject(claims.sub)
    .setJti(randomBytes(16).toString('base64url'))
    .setIssuedAt(now)
    .setExpirationTime(now + life)
    .sign(await getKey(present));
}

async function verifyWith(secret: string, token: string, typ: TokenClaims['typ']): Promise<TokenClaims | null> {
  try {
    const { payload } = await jwtVerify(token, await getKey(secret), {
      issuer: ISSUER,
      algorithms: ['HS256'],
      typ: typ === 'access' ? 'at+jwt' : 'rt+jwt',
      currentDate: clock.now(),
      clockTolerance: 0,
    });
    const claims = Claims.safeParse(payload);
    return claims.success && claims.data.typ === typ ? claims.data : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** The claims of a token of the expected type, or null when it is forged, expired or of the other type. */
export async function verifyToken(token: string, typ: TokenClaims['typ']): Promise<TokenClaims | null> {
  for (const secret of acceptedKeys()) {
    const claims = await verifyWith(secret, token, typ);
    if (claims) return claims;
  }
  return null;
}

/** What is stored of a token: its SHA-256, so that the table is worth nothing to a thief. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
