import { z } from 'zod';
import { AppError } from '@/server/lib/errors';
import type { Route } from '@/server/rest/define-route';
import { handleRequest } from '@/server/rest/handle-request';
import { createExample, type JsonSchema } from '@/server/rest/openapi/create-example';
import { parseInput } from '@/server/rest/parse-input';
import { forgetSharedAnswers } from '../../admission/shared-answers';
import { type Callable, listCallables } from '../access-table.fixture';
import { handleTrpc } from '../handle-trpc';
import { listOperations } from '../list-routes';
import { listSentSchemas } from '../operation';
import type { AppRouter } from '../root';
import { getFieldKind } from './field-kind.fixture';
import type { Ids } from './two-tenants.fixture';

/** Something that can be called, with the schema of all it takes: `{params, query, body}` of a route, the input of a procedure. */
export type Input = Callable & { name: string; schema: JsonSchema; reads: boolean };

/** A place of an input where an id stands (`id`), or a text that may name something (`text`). `[]` is any item of a list. */
export type Slot = { path: readonly string[]; holds: 'id' | 'text' };

const toInputSchema = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
const toObjectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** What changes nothing although it needs the permission to write. */
const STORES_NOTHING: readonly string[] = ['/policy-drafts', 'policies.draft'];
/** What changes something although it needs the permission to read only: the owner of a policy may confirm it. */
const STORES_SOMETHING: readonly string[] = ['/recertifications/{policy_id}/confirm', 'recertifications.confirm'];

/** Everything that can be called, with what it takes. */
export function listInputs(routes: readonly Route[], router: AppRouter): Input[] {
  const declared = new Map(listOperations(router));
  return listCallables(routes, router).map((callable): Input => {
    const { surface, method, path, access } = callable;
    const name = `${method} ${path}`;
    const reads =
      method === 'GET' ||
      method === 'query' ||
      STORES_NOTHING.includes(path) ||
      ('permission' in access && access.permission.endsWith(':read') && !STORES_SOMETHING.includes(path));
    if (surface === 'tRPC') {
      const operation = declared.get(path);
      const parts = (operation ? listSentSchemas(operation) : []).map(toInputSchema);
      const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}));
      const required = parts.flatMap((part) => part.required ?? []);
      return { ...callable, name, reads, schema: { type: 'object', properties, required } };
    }
    const route = routes.find((one) => one.method === method && one.path === path);
    const parts = { params: route?.params, query: route?.query, body: route?.body };
    const given = Object.entries(parts).flatMap(([key, part]) => (part ? [[key, toInputSchema(part)] as const] : []));
    return { ...callable, name, reads, schema: toObjectSchema(Object.fromEntries(given)) };
  });
}

function collect(schema: JsonSchema | boolean | undefined, path: readonly string[], found: Map<string, Slot>): void {
  if (typeof schema !== 'object') return;
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    collect(choice as JsonSchema, path, found);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property as JsonSchema, [...path, name], found);
  }
  if (schema.type === 'array') collect(schema.items as JsonSchema, [...path, '[]'], found);
  if (schema.type !== 'string' || schema.enum || schema.const !== undefined) return;
  if (schema.format === 'uuid') found.set(path.join('.'), { path, holds: 'id' });
  else if (schema.format === undefined && !found.has(path.join('.')))
    found.set(path.join('.'), { path, holds: 'text' });
}

/** Every place of the input where something can be named, nested ones and items of lists included. */
export function listSlots(input: Input): Slot[] {
  const found = new Map<string, Slot>();
  collect(input.schema, [], found);
  return [...found.values()];
}

const startsWith = (whole: readonly string[], start: readonly string[]) => start.every((part, i) => whole[i] === part);

/**
 * The smallest input that a call takes, with the ids of one tenant; `put` is placed in the slot, or in all id slots
 * when none is named.
 */
export function fill(
  input: Input,
  ids: Ids,
  put?: { slot: Slot | 'all ids'; value: (kind: string) => string },
): unknown {
  const slot = put?.slot;
  return createExample(input.schema, {
    // Of several shapes the one that has the slot.
    prefers: (path, { properties = {} }) =>
      typeof slot === 'object' &&
      startsWith(slot.path, path) &&
      Object.hasOwn(properties, slot.path[path.length] ?? ''),
    wants: (path) => typeof slot === 'object' && startsWith(slot.path, path),
    choose: (path, schema) => {
      if (typeof slot === 'object' && slot.path.join('.') === path.join('.')) return put?.value('');
      const isId =
        schema.format === 'uuid' || schema.anyOf?.some((one) => typeof one === 'object' && one.format === 'uuid');
      if (!isId || path.length === 0) return undefined;
      const kind = getFieldKind(input, path);
      return slot === 'all ids' ? put?.value(kind) : ids[kind];
    },
  });
}

/** Both inputs in one: lists hold the items of both, everything else is the first's. */
export function mix(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  if (typeof first !== 'object' || first === null || typeof second !== 'object' || second === null) return first;
  return Object.fromEntries(
    Object.entries(first).map(([key, value]) => [key, mix(value, (second as Record<string, unknown>)[key])]),
  );
}

export type Answer = { status: number; text: string };

type RestValue = Record<'params' | 'query', Record<string, unknown>> & { body?: unknown };

function makeRestRequest({ method, path }: Input, value: unknown, headers: Record<string, string>): Request {
  const { params = {}, query = {}, body } = value as RestValue;
  const address = path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [key, given] of Object.entries(query)) for (const one of [given].flat()) search.append(key, String(one));
  return new Request(`http://fabric.test/api/v1${address}?${search}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** Sends an input that `fill` made, through the same handlers that serve the network. */
export async function send(
  tables: { routes: readonly Route[]; router: AppRouter },
  input: Input,
  value: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const { surface, method, path } = input;
  if (surface === 'tRPC') {
    const json = { ...headers, 'content-type': 'application/json' };
    // An answer of before would hide what changed.
    forgetSharedAnswers();
    const url = `http://fabric.test/api/trpc/${path}`;
    const request =
      method === 'mutation'
        ? new Request(url, { method: 'POST', headers: json, body: JSON.stringify(value) })
        : new Request(`${url}?input=${encodeURIComponent(JSON.stringify(value))}`, { headers });
    return read(await handleTrpc(tables.router, request));
  }
  return read(await handleRequest(tables.routes, makeRestRequest(input, value, headers)));
}

/** Whether a call is answered before anything but its input is read: its schema refuses it, and the route adds nothing to that. */
export async function isMalformed(routes: readonly Route[], input: Input, value: unknown): Promise<boolean> {
  const route = routes.find(({ method, path }) => method === input.method && path === input.path);
  if (input.surface === 'tRPC' || !route || route.malformedExtra) return false;
  const { params = {} } = value as RestValue;
  const path = Object.fromEntries(Object.entries(params).map(([name, one]) => [name, String(one)]));
  try {
    await parseInput(route, path, makeRestRequest(input, value, {}));
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
}

const read = async (response: Response): Promise<Answer> => ({ status: response.status, text: await response.text() });

/** Names of all fields of an answer, dotted. */
export function collectFields(value: unknown, path = '', found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) collectFields(item, `${path}[]`, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      found.add(`${path}.${key}`);
      collectFields(inner, `${path}.${key}`, found);
    }
  }
  return found;
}

/** An answer without what differs between two equal ones: the moment, the request's own id, what was sent. */
export const toComparable = ({ status, text }: Answer, sent: string) =>
  `${status} ${text
    .replaceAll(sent, '<sent>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<random>')
    .replace(/"request_id":"[^"]*"/g, '"request_id"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '<time>')}`;

/** Whether an answer came from behind the schema: what is malformed about it is at most the field that was filled in. */
export function isChecked({ status, text }: Answer, slot: Slot): boolean {
  // A session that ended would make everything look alike.
  if (status !== 400) return status < 500 && status !== 401;
  const fields = [...text.matchAll(/"field":"([^"]*)"/g)].map(([, field]) => field ?? '');
  const name = slot.path.filter((part) => part !== '[]').at(-1) ?? '';
  const isMeant = (field: string) => field.split('.').includes(name);
  return fields.length > 0 && fields.every(isMeant);
}
