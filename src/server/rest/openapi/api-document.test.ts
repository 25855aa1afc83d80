import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../routes';
import { apiDocument, operationId, TAGS } from './api-document';
import { createExample, type JsonSchema } from './create-example';
import { schemaComponents } from './schema-components';

const document = apiDocument(routes);
const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('the API document', () => {
  it('passes the linter as an OpenAPI 3.1 document', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // A redirect is an answer as well; that every operation has one is checked below.
      rules: { 'operation-4xx-response': 'error', 'operation-2xx-response': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    const found = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
    );
    expect(found.slice(0, 5)).toEqual([]);
  });

  it('has an operation for every route, each with an id of its own', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations).toHaveLength(routes.length);
    expect(new Set(routes.map(operationId)).size).toBe(routes.length);
  });

  it.each([
    ['platform', '/users', 'for the whole installation.'],
    ['tenant', '/audit', 'for the installation or for a tenant.'],
    ['project', '/policies', 'for the installation, a tenant or a project.'],
  ])('documents where a permission of %s reach can be given', (_reach, path, text) => {
    expect(document.paths[path]?.get?.description).toContain(text);
  });

  it('documents the answers of every route', () => {
    const silent = routes.filter(
      ({ response: { status, schema, media } }) => ![204, 302].includes(status) && !schema && !media,
    );
    expect(
      silent.map((route) => `${name(route)}: give its response a schema, or say the media type of what it answers`),
    ).toEqual([]);
  });

  it('can tell every shape', () => {
    const undocumented = routes.flatMap((route) => {
      const { params, query, body, response } = route;
      const parts = [
        ['params', params],
        ['query', query],
        ['body', body],
        ['response', response.schema],
      ] as const;
      return parts.flatMap(([part, schema]) => {
        try {
          if (schema) z.toJSONSchema(schema, { io: part === 'response' ? 'output' : 'input' });
          return [];
        } catch (error) {
          return [
            `${name(route)} ${part}: ${(error as Error).message}; answers have schemas of their own, without transforms`,
          ];
        }
      });
    });
    expect(undocumented).toEqual([]);
  });

  it('knows the tag of every route', () => {
    const unknown = routes.filter(({ tag }) => !(tag in TAGS));
    expect(unknown.map((route) => `${name(route)}: describe the tag ${route.tag} in openapi/api-document.ts`)).toEqual(
      [],
    );
  });

  it('has summaries that are sentences', () => {
    expect(routes.filter(({ summary }) => !/^[A-Z].{5,}\.$/.test(summary)).map(name)).toEqual([]);
  });

  it('gives examples that the calls take', () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const content =
        document.paths[route.path]?.[route.method.toLowerCase()]?.requestBody?.content['application/json'];
      if (!route.body) continue;
      const result = route.body.safeParse(content?.example);
      const remedy = 'give the field an example in openapi/example-values.ts';
      if (!result.success) wrong.push(`${name(route)}: ${z.prettifyError(result.error)}; ${remedy}`);
    }
    expect(wrong).toEqual([]);
  });

  it('calls no field required that may be left out', () => {
    const resolved = (schema: JsonSchema = {}): JsonSchema =>
      schema.$ref ? (document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}) : schema;
    /** Bodies without one required field each, at whatever depth. */
    const lacking = (given: JsonSchema, value: unknown): [string, unknown][] => {
      const { required = [], properties = {} } = resolved(given);
      const whole = (value ?? {}) as Record<string, unknown>;
      return Object.entries(properties).flatMap(([field, schema]): [string, unknown][] => {
        if (!(field in whole)) return [];
        const { [field]: inner, ...rest } = whole;
        const within = Array.isArray(inner) ? [] : lacking(schema as JsonSchema, inner);
        const deeper = within.map(([path, one]): [string, unknown] => [`${field}.${path}`, { ...whole, [field]: one }]);
        return required.includes(field) ? [[field, rest], ...deeper] : deeper;
      });
    };
    const wrong = routes.flatMap((route) => {
      const content =
        document.paths[route.path]?.[route.method.toLowerCase()]?.requestBody?.content['application/json'];
      const taken = lacking(content?.schema ?? {}, content?.example).filter(
        ([, body]) => route.body?.safeParse(body).success,
      );
      return taken.map(([field]) => `${name(route)}: ${field}`);
    });
    expect(wrong).toEqual([]);
  });

  it('gives examples of answers that are of their shape', () => {
    const components = schemaComponents();
    const wrong = routes.flatMap((route) => {
      const { schema } = route.response;
      if (!schema) return [];
      const example = createExample(components.toJson(schema, 'output'), { resolve: components.resolve });
      const result = schema.safeParse(example);
      return result.success ? [] : [`${name(route)}: ${z.prettifyError(result.error)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('writes shapes with names once: large ones are components', () => {
    const large: string[] = [];
    const look = (where: string, schema: JsonSchema | undefined) => {
      const fields = Object.keys(schema?.properties ?? {}).length;
      if (fields >= 8)
        large.push(
          `${where} has ${fields} fields: export its schema and add its module to openapi/component-modules.ts`,
        );
    };
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const response of Object.values(responses) as { content?: Record<string, { schema: JsonSchema }> }[]) {
          look(`${method} ${path}`, response.content?.['application/json']?.schema);
        }
      }
    }
    expect(large).toEqual([]);
    expect(Object.keys(document.components.schemas).length).toBeGreaterThan(100);
  });
});
