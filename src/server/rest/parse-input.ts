import type { z } from 'zod';
import { AppError, type FieldError } from '../lib/errors';
import type { Route } from './define-route';
import { fieldErrors } from './problem';
import { readJson } from './read-body';
import { assertStorable } from './storable';

const MAX_QUERY_PARAMETERS = 100;
/** Enough for a client that always sends `{}`. */
const NO_BODY_BYTES = 64 * 1024;

/** Query parameters as an object; a repeated name becomes a list. */
function queryObject(url: URL): Record<string, string | string[]> {
  const keys = [...new Set(url.searchParams.keys())];
  if (keys.length > MAX_QUERY_PARAMETERS) {
    throw new AppError('malformed', `More than ${MAX_QUERY_PARAMETERS} query parameters.`);
  }
  const query = Object.fromEntries(
    keys.map((key) => {
      const values = url.searchParams.getAll(key);
      return [key, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
  assertStorable(query);
  return query;
}

function parse(schema: z.ZodType, value: unknown, errors: FieldError[]): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  errors.push(...fieldErrors(result.error));
  return undefined;
}

function parseQuery(route: Route, request: Request, errors: FieldError[]): unknown {
  const query = queryObject(new URL(request.url));
  if (!route.query) {
    for (const key of Object.keys(query).slice(0, 20)) {
      errors.push({ field: key.slice(0, 100), message: 'Unknown query parameter. Remove it or check its spelling.' });
    }
    return undefined;
  }
  const found: FieldError[] = [];
  const parsed = parse(route.query, query, found);
  const repeated = (field: string) => Array.isArray(query[field.split('.')[0] ?? '']);
  errors.push(
    ...found.map((e) => (repeated(e.field) ? { ...e, message: 'Sent more than once. Send the parameter once.' } : e)),
  );
  return parsed;
}

async function parseBody(route: Route, request: Request, errors: FieldError[]): Promise<unknown> {
  if (route.body) {
    const json = await readJson(request, route.maxBodyBytes, route.gzip, route.itemwise);
    return parse(route.body, json === undefined && route.bodyOptional ? {} : json, errors);
  }
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const json = await readJson(request, NO_BODY_BYTES);
  const empty = json === undefined || json === null || (typeof json === 'object' && Object.keys(json).length === 0);
  if (!empty) errors.push({ field: 'body', message: 'This path does not accept a body. Remove the body.' });
  return undefined;
}

/**
 * Validates params, query and body together, so that the caller learns about every wrong field in one response.
 * @throws AppError `malformed`, `not_found` for an id that cannot be one, and those of `readJson`
 */
export async function parseInput(
  route: Route,
  params: Record<string, string>,
  request: Request,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const errors: FieldError[] = [];
  let parsedParams: unknown;
  if (route.params) {
    const result = route.params.safeParse(params);
    // An id that is no UUID names nothing: absent, like any id that is not yours.
    if (!result.success) throw new AppError('not_found', 'This path does not exist.');
    parsedParams = result.data;
  }
  const query = parseQuery(route, request, errors);
  const body = await parseBody(route, request, errors);
  if (errors.length > 0) throw new AppError('malformed', 'The request has invalid or missing fields.', { errors });
  return { params: parsedParams, query, body };
}
