import type { z } from 'zod';
import { PERMISSION_REACH, type Permission } from '@/domain/permissions';
import type { Access, Route } from '../define-route';
import { createExample, type JsonSchema } from './create-example';
import { PROBLEM_SCHEMA, problemName, problemResponses } from './problem-responses';
import { problemStatuses } from './problem-statuses';
import { type SchemaComponents, schemaComponents } from './schema-components';

/** The parts of the API document, in the order in which they are read, each with one sentence. */
export const TAGS: Readonly<Record<string, string>> = {
  Dashboard: 'Security posture, suspicious traffic, top talkers and current problems.',
  Search: 'Find anything by name, VMID, address, MAC address, VLAN or tag.',
  Clusters: 'Proxmox VE clusters, the connections to them, and their sync runs.',
  Inventory: 'Nodes and workloads (VMs and containers) as last read, and the firewalls that filter their packets.',
  'Address management': 'Networks, prefixes, ranges and addresses: discovered automatically or maintained manually.',
  'Security groups': 'Groups of workloads, for use in policies.',
  Policies: 'Which traffic is allowed: rules, versions, previews and deployment status.',
  Changes: 'Edits to policies and groups that are reviewed, applied and rolled back as a whole.',
  'Policy file': 'Policies, groups and policy tests as one document: export, plan, apply; and the command line.',
  'Policy tests': 'What must stay allowed or denied, whatever policies say, and the connections that are protected.',
  Reachability: 'What reaches what by the rules: between two ends, from and to a workload, between groups.',
  Suggestions: 'Groups and policies with the least access that covers what was seen.',
  Impact: 'What a change does to connections: replayed traffic, and the packets gained and lost.',
  Deployments: 'Deployments of policies to clusters, with the result for each workload.',
  Drift: 'Differences between what was last applied of policies and what is live, and what is done about them.',
  Flows: 'Traffic that agents observed: flows, aggregates, insights into one workload, and the traffic map.',
  Agents: 'Agents on the nodes that report flows and counters, and their installation.',
  Administration: 'Tenants, projects, users, roles and ownership.',
  Account: 'Your own password, sessions and API tokens.',
  Authentication: 'Sign in and sign out.',
  Notifications: 'Notifications about problems: rules, channels, deliveries.',
  'Flow exporters': 'Devices that send flow records to the collector.',
  Forwarding: 'Audit records and conversations, sent on to other systems.',
  Audit: 'Who did what, in a tamper-evident hash chain.',
  Settings: 'Settings of the service.',
  Setup: 'Initial setup.',
  Events: 'Live events about changes.',
  Operations: 'Health of the service.',
  System: 'Metrics for monitoring, and this document.',
};

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, object>;
};
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
};
type MediaType = { schema: JsonSchema; example?: unknown };

export type ApiDocument = {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, object>;
    schemas: Record<string, JsonSchema>;
    responses: Record<string, object>;
  };
};

/** Version of the API: its prefix in the address. Within it fields and calls are added, never removed. */
const API_VERSION = '1.0.0';

const DESCRIPTION = `Manage the virtual networks and firewall policies of Proxmox VE clusters.

Authenticate with an API token of your account (\`Authorization: Bearer fabric_api_…\`) or with the access token of a session. Times
are RFC 3339 in UTC, IDs are UUIDs. Lists accept \`limit\`, \`cursor\`, \`sort\` and \`q\` and return \`items\`, \`next_cursor\` and \`total\`.
To update an object with a \`version\`, send the version that you last read, in the body or as \`If-Match\`. Objects that are not
visible to you return 404. Every error is a problem+json document.`;

/** \`GET /workloads/{workload_id}/insights\` → `getWorkloadsByWorkloadIdInsights`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .flatMap((part) => part.replace(/^\{(.*)\}$/, 'by_$1').split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + words.join('');
}

/** Where a role can permit it. */
const PLACES: Record<(typeof PERMISSION_REACH)[Permission], string> = {
  platform: ' for the whole installation.',
  tenant: ', for the installation or for a tenant. With a tenant, only its objects are included.',
  project: ', for the installation, a tenant or a project. With a tenant or project, only its objects are included.',
};

function accessText(access: Access): string {
  if ('open' in access) return 'Public.';
  if ('agent' in access) return 'For agents, with the token of their node.';
  if ('person' in access) return 'For signed-in users; not available to API tokens.';
  if ('signedIn' in access) return 'For all signed-in users.';
  if (access.permission === '*') return 'For super administrators.';
  return `Requires the permission \`${access.permission}\`${PLACES[PERMISSION_REACH[access.permission]]}`;
}

function getSecurity(access: Access): Operation['security'] {
  if ('open' in access) return [];
  if ('agent' in access) return [{ node_token: [] }];
  if ('person' in access) return [{ access_token: [] }];
  return [{ api_token: [] }, { access_token: [] }];
}

/** An example that the schema takes: with everything, or where fields exclude each other with what is needed. */
function createValidExample(zod: z.ZodType, schema: JsonSchema, { resolve }: SchemaComponents): unknown {
  const whole = createExample(schema, { resolve });
  return zod.safeParse(whole).success ? whole : createExample(schema, { resolve, wants: () => false });
}

function listParameters(route: Route, components: SchemaComponents): Parameter[] {
  const found: Parameter[] = [];
  const add = (place: 'path' | 'query', zod: z.ZodType | undefined) => {
    if (!zod) return;
    const schema = inline(components.toJson(zod, 'input'), components);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const { description, ...rest } = property as JsonSchema;
      const required = place === 'path' || (schema.required ?? []).includes(name);
      const example = createExample(schema.properties?.[name] as JsonSchema, { resolve: components.resolve }, [name]);
      found.push({
        name,
        in: place,
        required,
        ...(description && { description }),
        schema: rest,
        // Only what has to be given has an example: a reference page fills examples in.
        ...(required && example !== undefined && { example }),
      });
    }
  };
  add('path', route.params);
  add('query', route.query);
  if (acceptsVersion(route, components)) {
    const description =
      'The version that was last read, instead of `version`. If it is no longer current, nothing is changed.';
    found.push({ name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } });
  }
  return found;
}

const inline = (schema: JsonSchema, { resolve }: SchemaComponents): JsonSchema =>
  schema.$ref === undefined ? schema : (resolve(schema.$ref) ?? schema);

/** Whether a change may say which version it is about. */
function acceptsVersion({ method, query, body }: Route, components: SchemaComponents): boolean {
  if (method === 'GET') return false;
  return [query, body].some((zod) => {
    const properties = zod && inline(components.toJson(zod, 'input'), components).properties;
    return properties !== undefined && 'version' in properties;
  });
}

function describeSuccess(route: Route, components: SchemaComponents): object {
  const { schema: zod, status, media } = route.response;
  const description =
    status === 204 ? 'Done.' : status === 202 ? 'Accepted; the operation continues.' : 'The requested result.';
  const headers = {
    'X-Request-Id': { description: 'Identifies the request in the logs.', schema: { type: 'string' } },
  };
  const content: Record<string, MediaType> = {};
  if (zod) {
    const schema = components.toJson(zod, 'output');
    content['application/json'] = { schema, example: createExample(schema, { resolve: components.resolve }) };
  }
  const query = route.query && inline(components.toJson(route.query, 'input'), components);
  if (JSON.stringify(query?.properties?.format ?? '').includes('"csv"'))
    content['text/csv'] = { schema: { type: 'string' } };
  if (media) content[media] = { schema: { type: 'string' } };
  return { description, headers, ...(Object.keys(content).length > 0 && { content }) };
}

function describeOperation(route: Route, components: SchemaComponents): Operation {
  const parameters = listParameters(route, components);
  const { body } = route;
  const bodySchema = body && components.toJson(body, 'input');
  const problems = problemStatuses(route).map((status): [string, object] => [
    String(status),
    { $ref: `#/components/responses/${problemName(status)}` },
  ]);
  const also = (route.response.also ?? []).map((answer): [string, object] => [
    String(answer.status),
    describeSuccess({ ...route, response: answer }, components),
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: [accessText(route.access), route.gzip && 'The body may be sent with Content-Encoding: gzip.']
      .filter(Boolean)
      .join(' '),
    tags: [route.tag],
    security: getSecurity(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body &&
      bodySchema && {
        requestBody: {
          required: !route.bodyOptional,
          content: {
            'application/json': { schema: bodySchema, example: createValidExample(body, bodySchema, components) },
          },
        },
      }),
    responses: Object.fromEntries([
      [String(route.response.status), describeSuccess(route, components)],
      ...also,
      ...problems,
    ]),
  };
}

/** Only the schemas that are referenced: the fields of a query are in its parameters. */
function usedSchemas(paths: ApiDocument['paths'], all: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const used = new Set<string>();
  const follow = (text: string) => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name) || !all[name]) continue;
      used.add(name);
      follow(JSON.stringify(all[name]));
    }
  };
  follow(JSON.stringify(paths));
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}

/** The OpenAPI 3.1 document of a table of routes. */
export function apiDocument(routes: readonly Route[]): ApiDocument {
  const components = schemaComponents();
  const paths: ApiDocument['paths'] = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = describeOperation(route, components);
    paths[route.path] = operations;
  }
  const used = new Set(routes.map(({ tag }) => tag));
  const bearer = (description: string, bearerFormat?: string) => ({
    type: 'http',
    scheme: 'bearer',
    ...(bearerFormat && { bearerFormat }),
    description,
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fabric',
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1', description: 'This service' }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    security: [{ api_token: [] }, { access_token: [] }],
    paths,
    components: {
      securitySchemes: {
        api_token: bearer(
          'An API token of an account, for programs. It has a subset of its owner’s permissions and expires.',
        ),
        access_token: bearer('The access token of a session; valid for 15 minutes.', 'JWT'),
        node_token: bearer('The token that the agent of a node received at enrollment.'),
      },
      schemas: { ...usedSchemas(paths, components.all()), Problem: PROBLEM_SCHEMA },
      responses: problemResponses(routes.flatMap(problemStatuses)),
    },
  };
}
