import { initTRPC, TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { getCallLane } from '@/domain/heavy-operations';
import { readSession } from '../access/sign-in/read-session';
import { admit } from '../admission/admission';
import { shareAnswer } from '../admission/shared-answers';
import { getRequestOrigin } from '../auth/origin';
import {
  authorize,
  getActor,
  type Origin,
  requirePerson,
  requireSession,
  type Scope,
  type Session,
} from '../auth/scope';
import { AppError, type ErrorCode } from '../lib/errors';
import { logger } from '../lib/logger';
import { observeRequest, toCountedStatus } from '../lib/metrics';
import { noteRefusal } from '../lib/note-refusal';
import { toAppError, toProblem } from '../rest/problem';
import { getBaseUrl } from '../rest/request-headers';
import { assertStorable } from '../rest/storable';
import type { CallAccess, Operation } from './operation';

export type Context = {
  session: Session | null;
  origin: Origin;
  /** The address under which the caller reached the service. @throws AppError `malformed` */
  baseUrl: () => string;
};
type Meta = { operation: Operation };

/** The context of one tRPC call. A bad or expired token is no session; the procedure then answers 401. */
export async function createContext(request: Request, origin: Origin = getRequestOrigin(request)): Promise<Context> {
  try {
    return { session: await readSession(request, origin, true), origin, baseUrl: () => getBaseUrl(request) };
  } catch (error) {
    const meaning = toAppError(error);
    throw new TRPCError({ code: TRPC_CODE[meaning.code], message: meaning.message, cause: meaning });
  }
}

const TRPC_CODE = {
  malformed: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_SUPPORTED',
  conflict: 'CONFLICT',
  version_conflict: 'CONFLICT',
  gone: 'NOT_FOUND',
  too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  refused: 'UNPROCESSABLE_CONTENT',
  too_many_requests: 'TOO_MANY_REQUESTS',
  internal: 'INTERNAL_SERVER_ERROR',
  upstream: 'BAD_GATEWAY',
  unavailable: 'SERVICE_UNAVAILABLE',
  upstream_timeout: 'GATEWAY_TIMEOUT',
} as const satisfies Record<ErrorCode, TRPCError['code']>;

/** What tRPC itself refuses, before or instead of a procedure. */
const REFUSALS: Partial<Record<TRPCError['code'], [ErrorCode, string]>> = {
  PARSE_ERROR: ['malformed', 'The request is not valid JSON.'],
  BAD_REQUEST: ['malformed', 'The request is not a valid call.'],
  NOT_FOUND: ['not_found', 'This procedure does not exist.'],
  METHOD_NOT_SUPPORTED: ['method_not_allowed', 'Call queries with GET and mutations with POST.'],
  UNSUPPORTED_MEDIA_TYPE: ['unsupported_media_type', 'Send the call as application/json.'],
  PAYLOAD_TOO_LARGE: ['too_large', 'The call is too large.'],
};

/** What a procedure threw, as the error the caller may see: input errors are `malformed`, the rest as everywhere. */
function toCallerError(error: TRPCError): AppError {
  if (error.cause instanceof AppError) return error.cause;
  if (error.code === 'BAD_REQUEST' && error.cause instanceof ZodError) return toAppError(error.cause);
  const refusal = REFUSALS[error.code];
  if (refusal) return new AppError(...refusal, { cause: error });
  // A ZodError that comes from inside is our mistake, not the caller's.
  return toAppError(error.cause instanceof ZodError ? error : (error.cause ?? error));
}

/** The `data` of an error as the client reads it: tRPC's own fields and the problem as REST would send it. */
export function errorData(meaning: AppError, requestId: string, path: string | undefined) {
  return { code: TRPC_CODE[meaning.code], httpStatus: meaning.status, path, problem: toProblem(meaning, requestId) };
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    errorFormatter: ({ shape, error, ctx }) => {
      const meaning = toCallerError(error);
      const data = errorData(meaning, ctx?.origin.request_id ?? '', shape.data.path);
      return { code: shape.code, message: meaning.message, data };
    },
  });

/** Gives every failure its HTTP status, logs what is our fault, measures. */
const base = t.procedure.use(async ({ next, path, type, ctx, signal }) => {
  const started = performance.now();
  const result = await next();
  let status = 200;
  if (!result.ok) {
    const meaning = toCallerError(result.error);
    status = toCountedStatus(meaning.status, signal);
    if (status >= 500)
      logger.error({ err: result.error.cause ?? result.error, request_id: ctx.origin.request_id, path }, 'call failed');
    observeRequest({ surface: 'trpc', method: type, path, status, seconds: (performance.now() - started) / 1000 });
    noteRefusal({
      ...ctx.origin,
      actor_id: ctx.session?.user.id ?? null,
      surface: 'trpc',
      method: type,
      path,
      status,
      code: meaning.code,
    });
    throw new TRPCError({ code: TRPC_CODE[meaning.code], message: meaning.message, cause: meaning });
  }
  observeRequest({ surface: 'trpc', method: type, path, status, seconds: (performance.now() - started) / 1000 });
  return result;
});

/** After the permission and before the schema: what cannot be stored is refused by name instead of failing inside. */
const storableInput = t.middleware(async ({ getRawInput, next }) => {
  assertStorable(await getRawInput());
  return next();
});

/** What the handler of an operation gets when the caller may call it. @throws AppError `unauthenticated`, `forbidden` */
function authorizeCall({ session, origin }: Context, access: CallAccess) {
  if ('permission' in access) {
    const scope = authorize(session, access.permission);
    return { scope, session: requireSession(session) };
  }
  const asked = 'person' in access ? requirePerson : requireSession;
  const own = asked(session, access.enrolling);
  return { scope: { actor: getActor(own), origin }, session: own };
}

/** The only builder of procedures: checks who calls, hands the proof to the operation, lets heavy ones wait for their turn. */
export const builderFor = (operation: Operation) =>
  base
    .meta({ operation })
    .use(({ ctx, next }) => next({ ctx: authorizeCall(ctx, operation.access) }))
    .use(storableInput)
    .use(async ({ ctx, next, path, signal, getRawInput }) => {
      const input = await getRawInput();
      const lane = getCallLane(path, input);
      const answer = (stop: AbortSignal | null) =>
        lane ? admit(lane, ctx.scope as Scope, stop, () => next()) : next();
      if (!operation.shared) return answer(signal ?? null);
      // One who leaves does not take the answer from the others.
      return shareAnswer(ctx.session, path, input, operation.shared, async () => {
        const result = await answer(null);
        if (!result.ok) throw result.error;
        return result;
      });
    });

export const router = t.router;
