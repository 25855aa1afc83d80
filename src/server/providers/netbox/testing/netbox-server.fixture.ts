import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type ApiDocument, NETBOX_API } from './netbox-api.fixture';

type Json = Record<string, unknown>;
export type FakeObject = Json & { id: number };
type Request = { path: string; query: URLSearchParams; authorization: string | undefined };

// biome-ignore lint/style/noProcessEnv: the only way to name a document that is not part of the project
const PUBLISHED = process.env.FABRIC_NETBOX_SCHEMA;
/** The document of a NetBox, if one was given. */
export const published = PUBLISHED ? (JSON.parse(readFileSync(PUBLISHED, 'utf8')) as ApiDocument) : null;
const api = published ?? NETBOX_API;

/** Only what an answer refers to: the whole document has thousands of schemas. */
function collectSchemas(name: string, found: Record<string, unknown> = {}): Record<string, unknown> {
  if (name in found) return found;
  const text = JSON.stringify(api.components.schemas[name]);
  found[name] = JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/'));
  for (const [, inner] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) collectSchemas(inner ?? '', found);
  return found;
}

/** A validator of one schema of the document. */
function createValidator(name: string) {
  const schema = { $ref: `#/definitions/${name}`, definitions: collectSchemas(name) };
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0], { defaultTarget: 'openapi-3.0' });
}

const getName = (schema: Json) => /(\w+)$/.exec(String(schema.$ref))?.[1] ?? '';

/** A value that a schema allows: every property is there, what may be null is. */
function generate(schema: Json): unknown {
  if (schema.nullable) return null;
  if (schema.$ref) return generate(api.components.schemas[getName(schema)] as Json);
  if (Array.isArray(schema.allOf)) return generate(schema.allOf[0] as Json);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'array') return [];
  if (schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.type === 'number') return 1;
  if (schema.type === 'boolean') return false;
  if (schema.type === 'object') {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
    return Object.fromEntries(properties.map(([name, inner]) => [name, generate(inner)]));
  }
  if (schema.format === 'uri') return 'http://netbox.test/object/1/';
  if (schema.type === 'string') return schema.pattern === '^[0-9a-f]{6}$' ? '9e9e9e' : 'x';
  return null;
}

const generateNamed = (schema: string, values: Json) => ({ ...(generate({ $ref: `/${schema}` }) as Json), ...values });

type Values = Partial<{ vrf: string; tenant: string; tags: string[]; status: string; vlan: number }> & Json;

/** An object of NetBox with all fields that its schema has. */
function makeObject(
  schema: 'Prefix' | 'IPAddress',
  id: number,
  { vrf, tenant, tags, status, vlan, ...values }: Values,
) {
  const name = (text: string) => ({ name: text, display: text });
  const { dns_name: _, ...generated } = generateNamed(schema, {
    id,
    display: String(values.prefix ?? values.address),
    description: '',
  });
  return {
    // The schema allows no empty name, although NetBox has none for many addresses: it is left out.
    ...generated,
    ...(vrf && { vrf: generateNamed('BriefVRF', { id: 7, ...name(vrf) }) }),
    ...(tenant && { tenant: generateNamed('BriefTenant', { id: 8, ...name(`Tenant ${tenant}`), slug: tenant }) }),
    ...(vlan && { vlan: generateNamed('BriefVLAN', { id: 9, ...name(`VLAN ${vlan}`), vid: vlan }) }),
    ...(tags && { tags: tags.map((slug) => generateNamed('NestedTag', { id: 10, ...name(slug), slug })) }),
    status: { value: status ?? 'active', label: 'Active' },
    ...values,
  } as unknown as FakeObject;
}
export const makePrefix = (id: number, prefix: string, values: Values = {}) =>
  makeObject('Prefix', id, { prefix, ...values });
export const makeAddress = (id: number, address: string, values: Values = {}) =>
  makeObject('IPAddress', id, { address, ...values });

/** Why a request is not one of the document. */
function findRequestProblem({ path, query }: Request): string | null {
  const parameters = api.paths[path]?.get.parameters;
  if (!parameters) return `no path ${path}`;
  for (const [name, value] of query) {
    const declared = parameters.find((one) => one.in === 'query' && one.name === name)?.schema as Json | undefined;
    if (!declared) return `no parameter ${name} of ${path}`;
    const type = declared.type === 'array' ? (declared.items as Json).type : declared.type;
    if (type === 'integer' && !/^\d+$/.test(value)) return `${name} is no integer`;
  }
  return null;
}

const PATHS = { '/api/ipam/prefixes/': 'prefixes', '/api/ipam/ip-addresses/': 'addresses' } as const;
const LISTS = { prefixes: 'PaginatedPrefixList', addresses: 'PaginatedIPAddressList' } as const;

/**
 * A NetBox as its OpenAPI document describes it: requests that are not in the document are errors of the test, and so are answers that
 * its schemas refuse.
 */
export async function startNetbox(token = 'secret-token') {
  const state = {
    prefixes: [] as FakeObject[],
    addresses: [] as FakeObject[],
    requests: [] as Request[],
    problems: [] as string[],
    /** At most this many objects in an answer, whatever was asked for. */
    maxPage: 1000,
    /** Answers instead of the server. True: it did. */
    intercept: null as ((request: Request, response: ServerResponse) => boolean) | null,
    /** Changes what is stored, after an answer. */
    afterAnswer: null as (() => void) | null,
  };
  const validators = { prefixes: createValidator(LISTS.prefixes), addresses: createValidator(LISTS.addresses) };
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const fail = (response: ServerResponse, problem: string) => {
    state.problems.push(problem);
    send(response, 400, { detail: problem });
  };
  const matches = (one: FakeObject, query: URLSearchParams) =>
    one.id > Number(query.get('id__gt') ?? 0) &&
    (!query.has('tenant') || (one.tenant as Json | null)?.slug === query.get('tenant')) &&
    (!query.has('tag') || ((one.tags ?? []) as Json[]).some((tag) => tag.slug === query.get('tag')));
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', 'http://netbox.test');
    const request = { path: url.pathname, query: url.searchParams, authorization: incoming.headers.authorization };
    state.requests.push(request);
    if (state.intercept?.(request, response)) return;
    if (incoming.method !== 'GET') return fail(response, `${incoming.method} changes NetBox`);
    if (![`Token ${token}`, `Bearer ${token}`].includes(request.authorization ?? ''))
      return send(response, 403, { detail: 'Invalid token' });
    const problem = findRequestProblem(request);
    if (problem !== null) return fail(response, problem);
    const list = PATHS[request.path as keyof typeof PATHS];
    const found = state[list].filter((one) => matches(one, request.query)).sort((a, b) => a.id - b.id);
    const limit = Math.min(Number(request.query.get('limit') ?? 50), state.maxPage);
    const results = found.slice(0, limit);
    const next = found.length > limit ? `http://netbox.test${request.path}?limit=${limit}&offset=${limit}` : null;
    const body = { count: found.length, next, previous: null, results };
    const valid = validators[list].safeParse(body);
    if (!valid.success)
      return fail(response, `answer: ${valid.error.issues[0]?.path.join('.')} ${valid.error.message}`);
    send(response, 200, body);
    state.afterAnswer?.();
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  return Object.assign(state, {
    token,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}
export type FakeNetbox = Awaited<ReturnType<typeof startNetbox>>;
