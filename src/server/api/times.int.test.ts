import { beforeAll, describe, expect, it } from 'vitest';
import { createExample, type JsonSchema } from '@/server/rest/openapi/create-example';
import { routes } from '@/server/rest/routes';
import { bearer, makeUser } from '@/test/factories';
import { type Input, listInputs, send } from './isolation/inputs.fixture';
import { appRouter } from './root';

/** Valid as RFC 3339, but no time of a database or of a program. */
const TIMES = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59-12:00'];

/** The first and the last that are. */
const ENDS = ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];

let headers: Record<string, string>;
beforeAll(async () => {
  headers = await bearer(await makeUser('super_admin'));
});

/** Where an input takes a time. `[]` is any item of a list. */
function listTimes(schema: JsonSchema | boolean | undefined, path: readonly string[] = []): (readonly string[])[] {
  if (typeof schema !== 'object') return [];
  if (schema.type === 'string' && schema.format === 'date-time') return [path];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    ...inner.flatMap((one) => listTimes(one as JsonSchema, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => listTimes(one as JsonSchema, [...path, name])),
    ...(schema.type === 'array' ? listTimes(schema.items as JsonSchema, [...path, '[]']) : []),
  ];
}

/** The smallest input with a time in one place. */
function fillTime(input: Input, place: readonly string[], time: string): unknown {
  const leadsThere = (path: readonly string[]) => path.every((part, at) => part === place[at]);
  const options: Parameters<typeof createExample>[1] = {
    wants: leadsThere,
    prefers: (path, { properties = {} }) => Object.hasOwn(properties, place[path.length] ?? ''),
    choose: (path, schema) => {
      if (!leadsThere(path)) return undefined;
      if (path.length === place.length) return schema.format === 'date-time' || schema.anyOf ? time : undefined;
      // The default has no time in it.
      return schema.default === undefined ? undefined : createExample({ ...schema, default: undefined }, options, path);
    },
  };
  return createExample(input.schema, options);
}

const places = listInputs(routes, appRouter)
  // Of what agents send, each report that cannot be read is counted and left out.
  .filter(({ path }) => !path.startsWith('/agents'))
  .flatMap((input) =>
    [...new Set(listTimes(input.schema).map(String))].map((place) => [input, place.split(',')] as const),
  );

describe('every time that an input takes', () => {
  it('gets a 400 that names its field when it is in a year that no database reads', async () => {
    const wrong: string[] = [];
    for (const [input, place] of places) {
      for (const time of TIMES) {
        const value = fillTime(input, place, time);
        expect(JSON.stringify(value), `${input.name} ${place}`).toContain(time);
        const { status, text } = await send({ routes, router: appRouter }, input, value, headers);
        const field = place.filter((part) => part !== '[]').at(-1);
        const isNamed = text.includes('1970 to 9999') && new RegExp(`"field":"[^"]*\\b${field}"`).test(text);
        if (status !== 400 || !isNamed) wrong.push(`${input.name} ${place} ${time}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(places.length).toBeGreaterThan(40);
  });

  it('gets an answer when it is the first or the last that is accepted', async () => {
    const wrong: string[] = [];
    for (const [input, place] of places.filter(([{ method }]) => method === 'GET' || method === 'query')) {
      for (const time of ENDS) {
        const { status, text } = await send(
          { routes, router: appRouter },
          input,
          fillTime(input, place, time),
          headers,
        );
        if (status >= 500) wrong.push(`${input.name} ${place} ${time}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
