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

/** Claims, and when they end (seconds since 1970). */
type Verified = { claims: TokenClaims; ends: number };

/** @throws JOSEError when the token is forged, expired or of the other type */
async function verifyWith(secret: string, token: string, typ: TokenClaims['typ']): Promise<Verified> {
  const { payload } = await jwtVerify(token, await getKey(secret), {
    issuer: ISSUER,
    algorithms: ['HS256'],
    typ: typ === 'access' ? 'at+jwt' : 'rt+jwt',
    requiredClaims: ['exp'],
    currentDate: clock.now(),
    clockTolerance: 0,
  });
  const claims = Claims.safeParse(payload);
  if (!claims.success || claims.data.typ !== typ) throw new errors.JWTInvalid('claims of another form');
  return { claims: claims.data, ends: payload.exp ?? 0 };
}

/**
 * Tokens whose signature was right under the keys of the seal. Only the signature is remembered: that a token ends is checked each
 * time, and whether its sign-in still holds is not in the token.
 */
const verified = cache<Promise<Verified>, string>({
  name: 'session_tokens',
  maxEntries: 4_000,
  isFresh: (kept, asked) => kept === asked,
});

/** The claims of a token of the expected type, or null when it is forged, expired or of the other type. */
export async function verifyToken(token: string, typ: TokenClaims['typ']): Promise<TokenClaims | null> {
  const [present, previous] = acceptedKeys();
  try {
    const { claims, ends } = await verified.load(hashToken(`${typ} ${token}`), `${present} ${previous}`, async () =>
      verifyWith(present, token, typ).catch((error) => {
        if (previous === undefined || !(error instanceof errors.JOSEError)) throw error;
        return verifyWith(previous, token, typ);
      }),
    );
    return ends > Math.floor(clock.now().getTime() / 1000) ? claims : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** What is stored of a token: its SHA-256, so that the table is worth nothing to a thief. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
