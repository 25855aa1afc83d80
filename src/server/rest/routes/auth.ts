import { LoginInput, RefreshInput, SignedIn } from '@/domain/auth';
import { PasskeyChallenge, PasskeyChallengeInput, SecondFactorInput, SignInAnswer } from '@/domain/second-factor';
import { answerChallenge, createPasskeyChallenge } from '../../access/sign-in/challenge';
import { login } from '../../access/sign-in/login';
import { type IssuedSession, logout, refreshSession } from '../../access/sign-in/sessions';
import type { OpenScope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { defineRoute } from '../define-route';
import { getClientInfo } from '../request-headers';
import {
  assertSameOrigin,
  challengeCookie,
  readChallengeCookie,
  readCurrentRefreshToken,
  readRefreshCookie,
  refreshCookie,
} from '../session-cookie';

const noStore = { 'cache-control': 'no-store' };

function withCookie(request: Request, session: IssuedSession, body: SignedIn): Response {
  return Response.json(body, {
    headers: { ...noStore, 'set-cookie': refreshCookie(request, session.refresh_token) },
  });
}

/** The cookie holds one sign-in: the one it held before a new one takes its place ends, or it would stay open unseen. */
async function endReplacedSession(scope: OpenScope, request: Request): Promise<void> {
  const token = readCurrentRefreshToken(request);
  if (token) await logout(scope, { family_id: null, refresh_tokens: [token] });
}

/** Reasons for which no later try with the same token succeeds. */
const OVER: readonly unknown[] = ['invalid', 'reused'];

/**
 * New tokens for the cookie's. A token that is worth nothing goes from the browser; one that another tab has just
 * exchanged does not: the cookie then holds its successor by now.
 */
async function refreshByCookie(scope: OpenScope, request: Request, token: string): Promise<IssuedSession> {
  try {
    return await refreshSession(scope, token, getClientInfo(request));
  } catch (error) {
    if (!(error instanceof AppError) || !OVER.includes(error.extra?.reason)) throw error;
    const { message, extra } = error;
    throw new AppError('unauthenticated', message, { cause: error, extra, setCookie: refreshCookie(request, null) });
  }
}

const loginRoute = defineRoute({
  method: 'POST',
  path: '/auth/login',
  summary: 'Sign in with email and password. Returns tokens, or a challenge for the second factor.',
  tag: 'Authentication',
  access: { open: 'Signing in creates the session.' },
  body: LoginInput,
  response: { status: 200, schema: SignInAnswer },
  handler: async ({ scope, body, request }) => {
    const answer = await login(scope, body, getClientInfo(request));
    if (!('access_token' in answer)) return Response.json(answer, { headers: noStore });
    await endReplacedSession(scope, request);
    return withCookie(request, answer, answer);
  },
});

/** The first step of a sign-in, from the body or from the cookie that a sign-in through a provider left. @throws AppError */
function readChallengeToken(request: Request, given: string | undefined): string {
  if (given !== undefined) return given;
  const held = readChallengeCookie(request);
  if (!held) throw new AppError('unauthenticated', 'Sign in first.', { extra: { reason: 'challenge_over' } });
  assertSameOrigin(request);
  return held;
}

const passkeyChallengeRoute = defineRoute({
  method: 'POST',
  path: '/auth/second-factor/passkey',
  summary:
    'Get the WebAuthn options to complete a sign-in with a passkey. Earlier options of this sign-in stop working.',
  tag: 'Authentication',
  access: { open: 'The challenge of the first step authenticates the request.' },
  body: PasskeyChallengeInput,
  bodyOptional: true,
  response: { status: 200, schema: PasskeyChallenge },
  handler: async ({ scope, body, request }) =>
    Response.json(await createPasskeyChallenge(scope, readChallengeToken(request, body.challenge_token)), {
      headers: noStore,
    }),
});

const secondFactorRoute = defineRoute({
  method: 'POST',
  path: '/auth/second-factor',
  summary: 'Complete a sign-in with a code of the authenticator app, a recovery code, or a passkey.',
  tag: 'Authentication',
  access: { open: 'The challenge of the first step and the code or passkey authenticate the request.' },
  body: SecondFactorInput,
  response: { status: 200, schema: SignedIn },
  handler: async ({ scope, body, request }) => {
    const challenge_token = readChallengeToken(request, body.challenge_token);
    const session = await answerChallenge(scope, { ...body, challenge_token }, getClientInfo(request));
    await endReplacedSession(scope, request);
    if (body.challenge_token !== undefined) return withCookie(request, session, session);
    const response = withCookie(request, session, { ...session, refresh_token: undefined });
    response.headers.append('set-cookie', challengeCookie(request, null));
    return response;
  },
});

const refreshRoute = defineRoute({
  method: 'POST',
  path: '/auth/refresh',
  summary: 'Exchange a refresh token, from the body or from the cookie, for new tokens.',
  tag: 'Authentication',
  access: { open: 'The refresh token authenticates the request.' },
  body: RefreshInput,
  bodyOptional: true,
  response: { status: 200, schema: SignedIn },
  handler: async ({ scope, body, request }) => {
    if (body.refresh_token !== undefined) return refreshSession(scope, body.refresh_token, getClientInfo(request));
    const token = readRefreshCookie(request);
    if (!token) throw new AppError('unauthenticated', 'The refresh token is missing. Sign in.');
    assertSameOrigin(request);
    const session = await refreshByCookie(scope, request, token);
    // A script of the page must not be able to take the token away.
    return withCookie(request, session, { ...session, refresh_token: undefined });
  },
});

const logoutRoute = defineRoute({
  method: 'POST',
  path: '/auth/logout',
  summary: 'Sign out: end the session of the access token, the refresh token or the cookie.',
  tag: 'Authentication',
  access: { open: 'Signing out must also work with an expired access token.' },
  body: RefreshInput,
  bodyOptional: true,
  response: { status: 204 },
  handler: async ({ scope, session, body, request }) => {
    const cookie = readRefreshCookie(request);
    if (cookie) assertSameOrigin(request);
    await logout(scope, {
      family_id: session?.family_id ?? null,
      refresh_tokens: [body.refresh_token, cookie].filter((token) => typeof token === 'string'),
    });
    return new Response(null, { status: 204, headers: { ...noStore, 'set-cookie': refreshCookie(request, null) } });
  },
});

export const authRoutes = [loginRoute, secondFactorRoute, passkeyChallengeRoute, refreshRoute, logoutRoute];
