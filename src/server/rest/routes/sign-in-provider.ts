import { z } from 'zod';
import { type ProviderProblem, SignedOut, SignInMethods } from '@/domain/sign-in-provider';
import { readSignInMethods } from '../../access/provider/settings';
import { beginSignIn, finishSignIn, signOut } from '../../access/provider/sign-in';
import { openPendingSignIn, sealPendingSignIn } from '../../access/sign-in/checks';
import { logout } from '../../access/sign-in/sessions';
import { verifyToken } from '../../auth/session-tokens';
import { defineRoute } from '../define-route';
import { getClientInfo } from '../request-headers';
import {
  assertSameOrigin,
  challengeCookie,
  isCrossSite,
  pendingCookie,
  readCurrentRefreshToken,
  readPendingCookie,
  readRefreshCookie,
  readSignOutCookie,
  refreshCookie,
  signOutCookie,
} from '../session-cookie';

/** To the sign-in page, which knows where to go from there and what to say. */
function redirectToSignIn(query: Record<string, string | null>, cookies: readonly string[] = []): Response {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const text = new URLSearchParams(given).toString();
  const headers = new Headers({ location: text ? `/login?${text}` : '/login', 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

const methods = defineRoute({
  method: 'GET',
  path: '/auth/methods',
  summary: 'Get the ways to sign in besides a password.',
  tag: 'Authentication',
  access: { open: 'The sign-in page shows it before the user is authenticated.' },
  response: { status: 200, schema: SignInMethods },
  handler: () => readSignInMethods(),
});

const begin = defineRoute({
  method: 'GET',
  path: '/auth/oidc/start',
  summary: 'Redirect a browser to the sign-in provider. Not for programs.',
  tag: 'Authentication',
  access: { open: 'Signing in creates the session.' },
  query: z.strictObject({ next: z.string().max(2000, 'At most 2000 characters.').optional() }),
  response: { status: 302 },
  handler: async ({ scope, query, request }) => {
    const next = query.next ?? null;
    // Another site must not start a sign-in: only a button press by the user on Fabric's own page does.
    if (isCrossSite(request)) return redirectToSignIn({ next });
    const begun = await beginSignIn(scope.origin.request_id);
    // A page sent this request, not a program: the user needs a readable message and a way to continue.
    if ('problem' in begun) return redirectToSignIn({ next, problem: begun.problem });
    // The way back comes from another site, without this cookie.
    const held = readCurrentRefreshToken(request);
    const replaces = (held && (await verifyToken(held, 'refresh'))?.sid) ?? null;
    const cookie = pendingCookie(request, await sealPendingSignIn({ ...begun.checks, next, replaces }));
    const headers = { location: begun.url, 'set-cookie': cookie, 'cache-control': 'no-store' };
    return new Response(null, { status: 302, headers });
  },
});

const finish = defineRoute({
  method: 'GET',
  path: '/auth/oidc/callback',
  summary: 'Handle the redirect back from the sign-in provider. Not for programs.',
  tag: 'Authentication',
  access: {
    open: 'The response of the provider and the cookie of the browser that started the sign-in authenticate the request.',
  },
  // The provider adds what it likes.
  query: z.looseObject({}),
  response: { status: 302 },
  handler: async ({ scope, request }) => {
    const sealed = readPendingCookie(request);
    const pending = sealed === null ? null : await openPendingSignIn(sealed);
    const done = pendingCookie(request, null);
    if (!pending) return redirectToSignIn({ problem: 'expired' satisfies ProviderProblem }, [done]);
    const { next, replaces, ...checks } = pending;
    const result = await finishSignIn(scope, new URL(request.url).search, checks, getClientInfo(request));
    if ('problem' in result) return redirectToSignIn({ next, problem: result.problem }, [done]);
    if ('second_factor' in result) {
      const { challenge_token, methods } = result.second_factor;
      return redirectToSignIn({ next, step: 'code', methods: methods.join(',') }, [
        done,
        challengeCookie(request, challenge_token),
      ]);
    }
    await logout(scope, { family_id: replaces, refresh_tokens: [] });
    return redirectToSignIn({ next }, [done, refreshCookie(request, result.refresh_token)]);
  },
});

const leave = defineRoute({
  method: 'POST',
  path: '/auth/oidc/logout',
  summary: 'Sign out as POST /auth/logout does, and get the sign-out URL of the sign-in provider.',
  tag: 'Authentication',
  access: { open: 'Signing out must also work with an expired access token.' },
  response: { status: 200, schema: SignedOut },
  handler: async ({ scope, session, request }) => {
    const cookie = readRefreshCookie(request);
    if (cookie) assertSameOrigin(request);
    const held = { family_id: session?.family_id ?? null, refresh_tokens: cookie ? [cookie] : [] };
    const { state, ...answer } = await signOut(scope, held);
    const headers = new Headers({ 'cache-control': 'no-store' });
    headers.append('set-cookie', refreshCookie(request, null));
    if (state !== null) headers.append('set-cookie', signOutCookie(request, state));
    return Response.json(answer, { headers });
  },
});

const left = defineRoute({
  method: 'GET',
  path: '/auth/oidc/signed-out',
  summary: 'Handle the redirect back from the sign-in provider after its sign-out. Not for programs.',
  tag: 'Authentication',
  access: { open: 'It changes nothing: it only redirects the browser to the sign-in page.' },
  query: z.looseObject({}),
  response: { status: 302 },
  handler: async ({ request }) => {
    const expected = readSignOutCookie(request);
    const states = new URL(request.url).searchParams.getAll('state');
    const ours = expected !== null && states.length === 1 && states[0] === expected;
    return redirectToSignIn({ signed_out: ours ? 'provider' : null }, [signOutCookie(request, null)]);
  },
});

export const signInProviderRoutes = [methods, begin, finish, leave, left];
