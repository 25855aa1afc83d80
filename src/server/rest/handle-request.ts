import { ZodError } from 'zod';
import { originOf } from '../auth/origin';
import { readSession } from '../auth/read-session';
import { authorize, openScope, type Session } from '../auth/scope';
import { AppError, type FieldError } from '../lib/errors';
import { logger } from '../lib/logger';
import { observeRequest } from '../lib/metrics';
import type { Route } from './define-route';
import { matchRoute, pathSegments } from './match-route';
import { fieldErrors, problemResponse, toAppError } from './problem';
import { readJson } from './read-body';

/** Query parameters as an object; a repeated name becomes a list. */
function queryObject(url: URL): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    out[key] = values.length === 1 ? (values[0] as string) : values;
  }
  return out;
}

/** Validates params, query and body together, so that the caller learns of every wrong field at once. */
async function parseInput(route: Route, params: Record<string, string>, request: Request) {
  const errors: FieldError[] = [];
  const parse = (schema: Route['params'], value: unknown) => {
    if (!schema) return undefined;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    errors.push(...fieldErrors(result.error));
    return undefined;
  };
  if (route.params) {
    const result = route.params.safeParse(params);
    // An id that is no UUID names nothing: absent, like any id that is not yours.
    if (!result.success) throw new AppError('not_found', 'There is nothing at this address.');
  }
  const parsedParams = parse(route.params, params);
  const query = parse(route.query, queryObject(new URL(request.url)));
  let body: unknown;
  if (route.body) {
    const json = await readJson(request, route.maxBodyBytes);
    body = parse(route.body, json === undefined && route.bodyOptional ? {} : json);
  }
  if (errors.length > 0) throw new AppError('malformed', 'The request has wrong or missing fields.', { errors });
  return { params: parsedParams, query, body };
}

function requireSession(session: Session | null): Session {
  if (!session) throw new AppError('unauthenticated', 'Sign in to continue.');
  return session;
}

function respond(result: unknown, status: number, requestId: string): Response {
  if (result instanceof Response) {
    result.headers.set('x-request-id', requestId);
    return result;
  }
  const headers = { 'cache-control': 'no-store', 'x-request-id': requestId };
  if (status === 204) return new Response(null, { status, headers });
  return Response.json(result, { status, headers });
}

/** Answers one request below `/api/v1` from the table of routes. Never throws: every failure is a problem+json. */
export async function handleRequest(routes: readonly Route[], request: Request): Promise<Response> {
  const started = performance.now();
  const origin = originOf(request);
  let label = 'unmatched';
  let response: Response;
  try {
    const pathname = new URL(request.url).pathname.replace(/^\/api\/v1(?=\/|$)/, '');
    const segments = pathSegments(pathname);
    const { match, methods } = segments ? matchRoute(routes, request.method, segments) : { match: null, methods: [] };
    const route = match?.route;
    const open = route && 'open' in route.access;
    const session =
      open && !request.headers.has('authorization') ? null : await readSession(request, origin, open === true);
    if (!match || !route) {
      requireSession(session);
      if (methods.length > 0) {
        throw new AppError('method_not_allowed', `This address takes ${methods.join(', ')}.`, {
          extra: { allow: methods },
        });
      }
      throw new AppError('not_found', 'There is nothing at this address.');
    }
    label = route.path;
    if ('signedIn' in route.access) requireSession(session);
    const scope =
      'permission' in route.access
        ? authorize(session, route.access.permission)
        : session
          ? { actor: { kind: 'user', id: session.user.id, name: session.user.email }, origin }
          : openScope(origin);
    const input = await parseInput(route, match.params, request);
    response = respond(
      await route.handler({ scope, session, request, ...input }),
      route.response.status,
      origin.request_id,
    );
  } catch (error) {
    const appError = toAppError(error instanceof ZodError ? new Error('unexpected shape', { cause: error }) : error);
    if (appError.status >= 500)
      logger.error({ err: error, request_id: origin.request_id, path: label }, 'request failed');
    response = problemResponse(appError, origin.request_id);
    if (appError.code === 'method_not_allowed')
      response.headers.set('allow', String(appError.extra?.allow ?? '').replaceAll(',', ', '));
  }
  observeRequest({
    surface: 'rest',
    method: request.method,
    path: label,
    status: response.status,
    seconds: (performance.now() - started) / 1000,
  });
  return response;
}
