import type { z } from 'zod';
import type { OpenScope, Scope, Session } from '../auth/scope';
import { AppError } from '../lib/errors';
import { defineRoute, type Route } from '../rest/define-route';
import { csvResponse, listFormat, type ReadPage, readPages } from '../rest/list-file';
import { getBaseUrl, parseIfMatch } from '../rest/request-headers';
import { type Operation, parseRestAddress } from './operation';

type Procedures = Readonly<Record<string, { _def: { meta?: unknown } }>>;

/** What a request brings to the handler of a route. */
type Asked = {
  scope: OpenScope;
  session: Session;
  params: Record<string, unknown> | undefined;
  query: Record<string, unknown> | undefined;
  body: unknown;
  request: Request;
};

/** The operations of a router by their names on the pages. */
export function listOperations(router: { _def: { procedures: unknown } }): [string, Operation][] {
  const procedures = router._def.procedures as Procedures;
  return Object.entries(procedures).map(([name, { _def }]) => {
    const operation = (_def.meta as { operation?: Operation } | undefined)?.operation;
    if (!operation) throw new Error(`expected ${name} to be an operation; declare the procedure with operations()`);
    return [name, operation];
  });
}

/** The input with the version of If-Match where it takes one and has none. @throws AppError `malformed` when it has another one */
function withVersion(schema: z.ZodType | undefined, input: unknown, request: Request): unknown {
  const fields = (schema as Partial<z.ZodObject> | undefined)?.shape;
  if (!fields || !('version' in fields)) return input;
  const given = (input ?? {}) as { version?: unknown };
  const version = parseIfMatch(request);
  if (version !== undefined && given.version !== undefined && Number(given.version) !== version) {
    throw new AppError('malformed', 'The If-Match header and the version of the request differ.', {
      errors: [
        { field: 'If-Match', message: 'Send the version that you read in one of the two, or the same in both.' },
      ],
    });
  }
  return { ...given, version: given.version ?? version };
}

function toRoutes(operation: Operation): Route[] {
  if (operation.rest === undefined) return [];
  const {
    access,
    tag,
    input,
    output,
    summary,
    csv,
    respond,
    run,
    rest: _,
    params: __,
    onPages: ___,
    status,
    problems,
    ...limits
  } = operation;
  const { method, path, params } = parseRestAddress(operation);
  const inQuery = method === 'GET' || method === 'DELETE';
  const besides = csv ? { format: listFormat } : respond?.query?.shape;
  const taken = inQuery ? (input as z.ZodObject | undefined) : undefined;
  const query = besides ? (taken?.extend(besides) ?? respond?.query) : taken;
  const names = Object.keys(besides ?? {});
  const handler = async ({ request, ...asked }: Asked) => {
    const own = Object.fromEntries(Object.entries(asked.query ?? {}).filter(([name]) => !names.includes(name)));
    const only = Object.fromEntries(names.map((name) => [name, asked.query?.[name] as string | undefined]));
    const { scope, session, params = {} } = asked;
    const given = withVersion(input, inQuery ? own : asked.body, request);
    const call = { scope, session, params, input: input ? given : undefined, baseUrl: () => getBaseUrl(request) };
    if (respond) return respond.answer(call, only, request);
    if (csv && only.format === 'csv') {
      const rows = csv.rows ?? ((_: unknown, page: object) => run({ ...call, input: { ...own, ...page } }));
      return csvResponse(
        { name: csv.name, scope: scope as Scope, query: own, request },
        csv.columns as never[],
        csv.batches?.(call as never) ?? readPages((page) => rows(call, page) as ReturnType<ReadPage<object>>),
      );
    }
    return run(call);
  };
  return [
    defineRoute({
      ...limits,
      maxBodyBytes: limits.maxBodyBytes,
      method,
      path,
      summary,
      tag,
      access,
      params,
      query,
      body: inQuery ? undefined : input,
      response: {
        status: status ?? (output ? 200 : 204),
        schema: output,
        problems,
        ...(respond?.finished && { also: [{ status: 200, schema: respond.finished }] }),
      },
      handler: handler as never,
    }),
  ];
}

/** The REST routes of all operations that have an address. */
export const listRoutes = (router: { _def: { procedures: unknown } }): Route[] =>
  listOperations(router).flatMap(([, operation]) => toRoutes(operation));
