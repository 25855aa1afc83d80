import type { z } from 'zod';
import { EXAMPLE_VALUES, LEFT_OUT } from './example-values';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

type Options = {
  /** Whether to include something optional; by default everything is included. */
  wants?: (path: readonly string[]) => boolean;
  /** Which of several choices to take; by default the first. */
  prefers?: (path: readonly string[], choice: JsonSchema) => boolean;
  /** Value of a field that the caller wants to choose; undefined leaves it to the schema. */
  choose?: (path: readonly string[], schema: JsonSchema) => unknown;
  /** Schemas that `$ref` names, by the whole reference. */
  resolve?: (reference: string) => JsonSchema | undefined;
};

const EXAMPLE_ID = '01980000-0000-7000-8000-000000000001';
const EXAMPLE_TIME = '2026-11-21T08:30:00Z';
/** References of a schema to itself end here. */
const MAX_DEPTH = 12;

const isNull = (schema: JsonSchema | boolean) => typeof schema === 'object' && schema.type === 'null';

function createTextExample(schema: JsonSchema): string {
  if (schema.format === 'uuid') return EXAMPLE_ID;
  if (schema.format === 'date-time') return EXAMPLE_TIME;
  if (schema.format === 'date') return EXAMPLE_TIME.slice(0, 10);
  if (schema.format === 'email') return 'ada@example.org';
  return 'text'.padEnd(schema.minLength ?? 0, 't').slice(0, schema.maxLength ?? 4);
}

function createNumberExample({ minimum, maximum, exclusiveMinimum }: JsonSchema): number {
  const least = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined);
  const requested = least === undefined || least < 0 ? 1 : Math.max(least, 1);
  return Math.min(requested, maximum ?? requested);
}

function createObjectExample(schema: JsonSchema, path: readonly string[], options: Options): Record<string, unknown> {
  const required = new Set(schema.required);
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      if (typeof property === 'boolean') return [];
      if (!required.has(name) && !(options.wants?.([...path, name]) ?? !LEFT_OUT.has(name))) return [];
      const value = createExample(property, options, [...path, name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A record: a value for each named key, else one entry. */
function createRecordExample(schema: JsonSchema, path: readonly string[], options: Options): Record<string, unknown> {
  const { additionalProperties: values, propertyNames: names } = schema;
  if (typeof values !== 'object' || options.wants?.([...path, '*']) === false) return {};
  const keys = typeof names === 'object' && names.enum ? names.enum.map(String) : [];
  return Object.fromEntries(keys.map((key) => [key, createExample(values, options, [...path, key])]));
}

/**
 * A value that fits a JSON schema: the chosen one, the example of a field of this name, the default, or the plainest of its
 * type. @returns undefined where the schema allows nothing
 */
export function createExample(schema: JsonSchema, options: Options = {}, path: readonly string[] = []): unknown {
  const chosen = options.choose?.(path, schema);
  if (chosen !== undefined) return chosen;
  if (path.length > MAX_DEPTH * 2) return null;
  if (schema.$ref !== undefined) {
    const found = options.resolve?.(schema.$ref);
    return found && path.length < MAX_DEPTH ? createExample(found, options, path) : undefined;
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.default ?? schema.enum[0];
  const name = path.at(-1) ?? '';
  const known = Object.hasOwn(EXAMPLE_VALUES, name) ? EXAMPLE_VALUES[name] : undefined;
  if (known !== undefined && fits(known, schema)) return known;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const usable = choices.filter((choice): choice is JsonSchema => typeof choice === 'object' && !isNull(choice));
    const chosenOne = usable.find((choice) => options.prefers?.(path, choice)) ?? usable[0];
    return chosenOne ? createExample(chosenOne, options, path) : null;
  }
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => createExample(part as JsonSchema, options, path));
    return parts.every((part) => typeof part === 'object') ? Object.assign({}, ...parts) : parts[0];
  }
  if (schema.default !== undefined) return schema.default;
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (type === 'object' || schema.properties)
    return { ...createRecordExample(schema, path, options), ...createObjectExample(schema, path, options) };
  if (type === 'array') {
    const items = schema.items as JsonSchema | undefined;
    const item = items && createExample(items, options, [...path, '[]']);
    return item === undefined ? [] : [item];
  }
  if (type === 'string') return createTextExample(schema);
  if (type === 'integer' || type === 'number') return createNumberExample(schema);
  if (type === 'boolean') return true;
  return null;
}

/** Whether a value is of a type that the schema takes; its finer rules are for the test that parses every example. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.some((choice) => typeof choice === 'object' && fits(value, choice));
  if (schema.const !== undefined) return schema.const === value;
  const types = [schema.type ?? []].flat() as string[];
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) {
    const items = schema.items as JsonSchema | undefined;
    return types.includes('array') && value.every((item) => !items || fits(item, items));
  }
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  if (schema.enum) return schema.enum.includes(value as string);
  if (schema.format !== undefined && typeof value === 'string') {
    const shape = { uuid: /^[0-9a-f-]{36}$/, 'date-time': /^\d{4}-.*Z$/ }[schema.format];
    if (shape) return types.includes('string') && shape.test(value);
  }
  return types.includes(typeof value);
}
