import { publicOriginOf } from '../auth/origin';
import { REFRESH_TOKEN_SECONDS } from '../auth/session-tokens';
import { AppError } from '../lib/errors';

const NAME = 'fabric_refresh';
/** Only the authentication routes ever see the cookie. */
const PATH = '/api/v1/auth';

/** The refresh token in the browser's cookie. Two cookies of the name (one planted by a neighbour site) count as none. */
export function readRefreshCookie(request: Request): string | null {
  const values = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  return values.length === 1 && values[0] ? values[0] : null;
}

/** `Set-Cookie` that stores the refresh token, or removes it with null. Never readable by scripts, never sent across sites. */
export function refreshCookie(request: Request, token: string | null): string {
  return [
    `${NAME}=${token ?? ''}`,
    `Path=${PATH}`,
    `Max-Age=${token === null ? 0 : REFRESH_TOKEN_SECONDS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(publicOriginOf(request).protocol === 'https' ? ['Secure'] : []),
  ].join('; ');
}

/**
 * Refuses to act on a cookie for another site's page. SameSite=Strict lets pages of sibling domains through, so the
 * browser's own word about the sender is asked as well; a program that sends neither header is no browser.
 * @throws AppError `forbidden`
 */
export function assertSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const { host } = publicOriginOf(request);
  const same = site !== null ? site === 'same-origin' : origin === null || hostOf(origin) === host.toLowerCase();
  if (same) return;
  throw new AppError(
    'forbidden',
    'The session cookie is only accepted from pages of this service. Behind a proxy, name it in FABRIC_TRUSTED_PROXIES.',
  );
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host.toLowerCase();
  } catch {
    return null;
  }
}
