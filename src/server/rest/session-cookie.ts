import { CHALLENGE_SECONDS } from '../access/sign-in/challenge';
import { PROVIDER_SIGN_IN_SECONDS } from '../access/sign-in/checks';
import { getPublicOrigin } from '../auth/origin';
import { REFRESH_TOKEN_SECONDS } from '../auth/session-tokens';
import { AppError } from '../lib/errors';

type Cookie = {
  name: string;
  path: string;
  seconds: number;
  sameSite: 'Strict' | 'Lax';
  /** The name without prefix counts over TLS, too: that of sign-ins from before there was a prefix. */
  oldName?: true | undefined;
};

/**
 * Over TLS the names carry a prefix with which browsers take a cookie from this very host only, not from a sibling that plants one. It
 * asks for the path `/`; without TLS there is no such name, and only the authentication routes see the cookies.
 */
const PREFIX = '__Host-';

const isSecure = (request: Request): boolean => getPublicOrigin(request).protocol === 'https';

const REFRESH: Cookie = {
  name: 'fabric_refresh',
  path: '/api/v1/auth',
  seconds: REFRESH_TOKEN_SECONDS,
  sameSite: 'Strict',
  oldName: true,
};
const CHALLENGE: Cookie = { ...REFRESH, oldName: undefined, name: 'fabric_challenge', seconds: CHALLENGE_SECONDS };
/** It has to come along when the provider sends the browser back: that is another site. */
const PENDING: Cookie = {
  name: 'fabric_sign_in',
  path: '/api/v1/auth/oidc',
  seconds: PROVIDER_SIGN_IN_SECONDS,
  sameSite: 'Lax',
};

/** A way to the provider to sign out there: it has to come back along, too. */
const LEAVING: Cookie = { ...PENDING, name: 'fabric_sign_out' };

/** The values that came under a name. */
function listCookieValues(request: Request, name: string): string[] {
  return (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/**
 * A browser cookie. Two with the same name (one planted by a neighbor site) count as none. Over TLS `oldName` counts
 * if there is none with the prefix: earlier sign-ins continue until their token expires.
 */
function readCookie(request: Request, { name, oldName }: Cookie): string | null {
  const secure = isSecure(request);
  const prefixed = secure ? listCookieValues(request, PREFIX + name) : [];
  const values = prefixed.length > 0 || (secure && !oldName) ? prefixed : listCookieValues(request, name);
  return values.length === 1 && values[0] ? values[0] : null;
}

/** `Set-Cookie` that stores a value, or removes it with null. Never readable by scripts. */
function formatSetCookie(request: Request, cookie: Cookie, value: string | null): string {
  const secure = isSecure(request);
  return [
    `${secure ? PREFIX : ''}${cookie.name}=${value ?? ''}`,
    `Path=${secure ? '/' : cookie.path}`,
    `Max-Age=${value === null ? 0 : cookie.seconds}`,
    'HttpOnly',
    `SameSite=${cookie.sameSite}`,
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

/** The refresh token in the browser's cookie. */
export const readRefreshCookie = (request: Request): string | null => readCookie(request, REFRESH);

/** `Set-Cookie` for the refresh token, or against it with null. Never sent across sites. */
export const refreshCookie = (request: Request, token: string | null): string =>
  formatSetCookie(request, REFRESH, token);

/** The first step of a sign-in through a provider, waiting for a code. */
export const readChallengeCookie = (request: Request): string | null => readCookie(request, CHALLENGE);
export const challengeCookie = (request: Request, token: string | null): string =>
  formatSetCookie(request, CHALLENGE, token);

/** A sign-in through a provider that this browser began. */
export const readPendingCookie = (request: Request): string | null => readCookie(request, PENDING);
export const pendingCookie = (request: Request, sealed: string | null): string =>
  formatSetCookie(request, PENDING, sealed);

/** The state of signing out at a provider, which this browser began. */
export const readSignOutCookie = (request: Request): string | null => readCookie(request, LEAVING);
export const signOutCookie = (request: Request, state: string | null): string =>
  formatSetCookie(request, LEAVING, state);

/**
 * Refuses to act on a cookie for another site's page. SameSite=Strict lets pages of sibling domains through, so the
 * browser's own word about the sender is asked as well; a program that sends neither header is no browser.
 * @throws AppError `forbidden`
 */
export function assertSameOrigin(request: Request): void {
  if (isSameOrigin(request)) return;
  throw new AppError(
    'forbidden',
    'The session cookie is only accepted from pages of this service. Behind a proxy, add its address to FABRIC_TRUSTED_PROXIES.',
  );
}

function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const { host } = getPublicOrigin(request);
  return site !== null ? site === 'same-origin' : origin === null || parseHost(origin) === host.toLowerCase();
}

/** The refresh token of the sign-in that this browser holds already and is about to replace; null for other sites' pages. */
export const readCurrentRefreshToken = (request: Request): string | null =>
  isSameOrigin(request) ? readRefreshCookie(request) : null;

/** Whether the browser says that a page of another site sent it here. Typed addresses, bookmarks and programs do not say so. */
export function isCrossSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site !== null && site !== 'same-origin' && site !== 'none';
}

function parseHost(origin: string): string | null {
  try {
    return new URL(origin).host.toLowerCase();
  } catch {
    return null;
  }
}
