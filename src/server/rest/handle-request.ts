import { ZodError } from 'zod';
import { getLane } from '@/domain/heavy-operations';
import { readSession } from '../access/sign-in/read-session';
import { admitResponse, withRequestDatabase } from '../admission/admission';
import { getRequestOrigin } from '../auth/origin';
import {
  authorize,
  getActor,
  type OpenScope,
  type Origin,
  openScope,
  requirePerson,
  requireSession,
  type Scope,
  type Session,
} from '../auth/scope';
import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';
import { observeRequest, toCountedStatus } from '../lib/metrics';
import { noteRefusal } from '../lib/note-refusal';
import { readAgent } from '../traffic/agents/agent-identity';
import type { Access, Route } from './define-route';
import { matchRoute, pathSegments } from './match-route';
import { parseInput } from './parse-input';
import { problemResponse, toAppError } from './problem';
import { assertBodySize } from './read-body';

/** Who calls: evidence of the permission, the agent, or for open and signed-in routes only who and from where. */
async function scopeFor(access: Access, session: Session | null, request: Request, origin: Origin): Promise<OpenScope> {
  if ('agent' in access) return readAgent(request, origin);
  if ('permission' in access) return authorize(session, access.permission) as OpenScope;
  if ('signedIn' in access) requireSession(session, access.enrolling);
  if ('person' in access) requirePerson(session, access.enrolling);
  return session ? { actor: getActor(session), origin } : openScope(origin);
}

function respond(result: unknown, status: number, requestId: string): Response {
  if (result instanceof Response) {
    // A copy, because the headers of some responses (redirects, fetched ones) cannot be changed.
    const headers = new Headers(result.headers);
    headers.set('x-request-id', requestId);
    return new Response(result.body, { status: result.status, headers });
  }
  const headers = { 'cache-control': 'no-store', 'x-request-id': requestId };
  if (status === 204) return new Response(null, { status, headers });
  return Response.json(result, { status, headers });
}

/** The methods an address takes, as the `Allow` header lists them. */
const formatAllowHeader = (methods: readonly string[]) =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');

/** Answers what no route takes: 204 to OPTIONS, 405 where other methods work, 404; strangers learn only of open addresses. */
function answerUnmatched(
  method: string,
  known: readonly Route[],
  session: Session | null,
  requestId: string,
): Response {
  if (known.length === 0 || !known.every((route) => 'open' in route.access)) requireSession(session, true);
  const allow = formatAllowHeader([...new Set(known.map((route) => route.method as string))].sort());
  if (known.length === 0) throw new AppError('not_found', 'This path does not exist.');
  if (method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: { allow, 'x-request-id': requestId } });
  }
  throw new AppError('method_not_allowed', `Allowed methods: ${allow}.`, { extra: { allow: allow.split(', ') } });
}

/** A ZodError that comes from inside is our mistake, not the caller's. */
const normalizeError = (error: unknown): AppError =>
  toAppError(error instanceof ZodError ? new Error('unexpected shape', { cause: error }) : error);

function respondWithError(appError: AppError, requestId: string): Response {
  const response = problemResponse(appError, requestId);
  const allow = appError.extra?.allow;
  if (Array.isArray(allow)) response.headers.set('allow', allow.join(', '));
  return response;
}

/** What was sent; a fault in it is answered with what the route adds to it. */
async function readInput(route: Route, path: Record<string, string>, request: Request, scope: OpenScope) {
  try {
    return await parseInput(route, path, request);
  } catch (error) {
    if (!(error instanceof AppError) || !route.malformedExtra) throw error;
    const { code, message, errors } = error;
    const extra = { ...error.extra, ...(await route.malformedExtra(scope, path)) };
    throw new AppError(code, message, { ...(errors && { errors }), extra, cause: error });
  }
}

/**
 * Answers one request below `/api/v1` from the table of routes. Never throws: every failure is a problem+json. The
 * order is fixed: size, identity, permission, input, admission, so that callers learn nothing about input they may not
 * send.
 */
export const handleRequest = (routes: readonly Route[], request: Request): Promise<Response> =>
  withRequestDatabase(request.method, () => answerRequest(routes, request));

async function answerRequest(routes: readonly Route[], request: Request): Promise<Response> {
  const started = performance.now();
  const origin = getRequestOrigin(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  let label = 'unmatched';
  let actorId: string | null = null;
  let code = '';
  let response: Response;
  try {
    assertBodySize(request);
    const segments = pathSegments(new URL(request.url).pathname.replace(/^\/api\/v1(?=\/|$)/, ''));
    const { match, known } = segments ? matchRoute(routes, method, segments) : { match: null, known: [] };
    if (match) label = match.route.path;
    const open = match ? 'open' in match.route.access : known.length > 0 && known.every((r) => 'open' in r.access);
    // An agent's token is no session; its route reads it.
    const byAgent = match !== null && 'agent' in match.route.access;
    const session = request.headers.has('authorization') && !byAgent ? await readSession(request, origin, open) : null;
    actorId = session?.user.id ?? null;
    if (match) {
      const { route } = match;
      const scope = await scopeFor(route.access, session, request, origin);
      actorId = scope.actor.id ?? actorId;
      const input = await readInput(route, match.params, request, scope);
      const work = async () => route.handler({ scope, session, request, routes, ...input });
      const lane = getLane(route, input.query as object | undefined);
      const result = await (lane ? admitResponse(lane, scope as Scope, request.signal, work) : work());
      response = respond(result, route.response.status, origin.request_id);
    } else {
      response = answerUnmatched(method, known, session, origin.request_id);
    }
  } catch (error) {
    const appError = normalizeError(error);
    code = appError.code;
    response = respondWithError(appError, origin.request_id);
    if (toCountedStatus(appError.status, request.signal) >= 500)
      logger.error({ err: error, request_id: origin.request_id, path: label }, 'request failed');
  }
  if (request.method === 'HEAD') {
    await response.body?.cancel();
    response = new Response(null, { status: response.status, headers: response.headers });
  }
  const seconds = (performance.now() - started) / 1000;
  const status = toCountedStatus(response.status, request.signal);
  observeRequest({ surface: 'rest', method: request.method, path: label, status, seconds });
  noteRefusal({
    ...origin,
    actor_id: actorId,
    surface: 'rest',
    method: request.method,
    path: label,
    status,
    code,
  });
  return response;
}
