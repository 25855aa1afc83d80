import type { Translate } from '@/lib/i18n/translator';

/** What this page reads of `/api/v1/openapi.json`. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
};
type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;
export type ApiResponse = { $ref?: string; description?: string; content?: Content };
export type ApiParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
};
type ApiOperation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: ApiParameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ApiResponse>;
};
export type ApiDocument = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, ApiResponse> };
};

/** One operation with where it stands. */
export type Call = ApiOperation & { method: string; path: string };

/** All operations in the order of the document. */
export function listCalls(document: ApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The calls that all words of a search are found in: method, path, summary, parameters. */
export function searchCalls(calls: readonly Call[], q: string): Call[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return calls.filter(({ method, path, summary, tags, parameters }) => {
    const text = [method, path, summary, ...tags, ...(parameters ?? []).map(({ name }) => name)]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A schema or response behind its reference. */
export function resolveSchema(document: ApiDocument, schema: JsonSchema | undefined): JsonSchema | undefined {
  const name = schema?.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : document.components.schemas[name];
}
export function resolveResponse(document: ApiDocument, response: ApiResponse): ApiResponse {
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : (document.components.responses[name] ?? response);
}

/** Name of a schema that has one. */
export const getSchemaName = (schema: JsonSchema): string | null => schema.$ref?.split('/').at(-1) ?? null;

/** The value type of a schema, as text: `string (uuid) or null`. */
export function typeText(t: Translate, schema: JsonSchema): string {
  const name = getSchemaName(schema);
  if (name) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const or = ` ${t('or')} `;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((one) => typeText(t, one)))].join(or);
  if (schema.type === 'array')
    return t('list of {what}', { what: schema.items ? typeText(t, schema.items) : t('any') });
  const type = Array.isArray(schema.type) ? schema.type.join(or) : (schema.type ?? t('any'));
  return schema.format ? `${type} (${schema.format})` : type;
}
