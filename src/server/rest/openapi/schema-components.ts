import { z } from 'zod';
import { namedSchemas } from './component-modules';
import type { JsonSchema } from './create-example';

const PREFIX = '#/components/schemas/';

/** References of one schema's own `$defs` as references into the document. */
function rewriteRefs<T>(value: T, rename: (name: string) => string): T {
  if (Array.isArray(value)) return value.map((item) => rewriteRefs(item, rename)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string'
        ? [key, PREFIX + rename(inner.replace('#/$defs/', ''))]
        : [key, rewriteRefs(inner, rename)],
    ),
  ) as T;
}

export type SchemaComponents = {
  /** The JSON schema of what is sent (`input`) or answered (`output`); what has a name is a reference. */
  toJson(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  /** The schemas with names that `toJson` came across, sorted by name. */
  all(): Record<string, JsonSchema>;
  resolve(reference: string): JsonSchema | undefined;
};

/** A field whose missing value is replaced is optional; zod's JSON schema covers defaults only. */
function makeOptional({ shape }: z.ZodObject, json: JsonSchema): void {
  if (!json.required) return;
  json.required = json.required.filter((name) => !(shape[name] instanceof z.ZodCatch));
}

/**
 * Turns zod schemas into JSON schemas that share components. What is sent and what is answered may differ (defaults): a
 * schema with both faces has two components, the one that is sent with `Body` behind its name.
 */
export function schemaComponents(): SchemaComponents {
  const names = namedSchemas();
  const found = new Map<string, JsonSchema>();
  const bodyName = (name: string) => `${name}Body`;

  const take = (name: string, schema: JsonSchema): void => {
    const known = found.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`expected one schema named ${name}`);
    found.set(name, schema);
  };

  return {
    toJson(schema, io) {
      const rename = io === 'output' ? (name: string) => name : bodyName;
      const {
        $schema: _,
        id: __,
        $defs,
        ...root
      } = z.toJSONSchema(schema, {
        io,
        metadata: names,
        // A test lists the schemas that cannot be represented; the document is served with the others anyway.
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          if (io === 'input' && zodSchema instanceof z.ZodObject) makeOptional(zodSchema, jsonSchema as JsonSchema);
        },
      }) as JsonSchema & {
        id?: string;
      };
      for (const [name, definition] of Object.entries($defs ?? {})) {
        const { id: ___, ...plain } = definition as JsonSchema & { id?: string };
        take(rename(name), rewriteRefs(plain, rename));
      }
      const json = rewriteRefs(root as JsonSchema, rename);
      const name = names.get(schema)?.id;
      if (name === undefined || json.$ref !== undefined) return json;
      take(rename(name), json);
      return { $ref: PREFIX + rename(name) };
    },
    all: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
    resolve: (reference) => found.get(reference.replace(PREFIX, '')),
  };
}
