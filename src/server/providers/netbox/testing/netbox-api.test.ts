import { describe, expect, it } from 'vitest';
import { NETBOX_API } from './netbox-api.fixture';
import { published } from './netbox-server.fixture';

type Json = { [name: string]: unknown };

/** What our description says otherwise than the published one. What it leaves out is no difference. */
function listDifferences(ours: unknown, theirs: unknown, path: string): string[] {
  if (Array.isArray(ours)) {
    const known = Array.isArray(theirs) ? theirs.map((one) => JSON.stringify(one)) : [];
    return ours.flatMap((one) => (known.includes(JSON.stringify(one)) ? [] : [`${path}: ${JSON.stringify(one)}`]));
  }
  if (typeof ours !== 'object' || ours === null) return ours === theirs ? [] : [`${path}: ${String(theirs)}`];
  return Object.entries(ours as Json).flatMap(([name, inner]) =>
    listDifferences(inner, (theirs as Json | undefined)?.[name], `${path}.${name}`),
  );
}

describe('the description of the NetBox API', () => {
  it('finds differences of types, choices and required fields', () => {
    expect(listDifferences({ a: { type: 'string' } }, { a: { type: 'string', maxLength: 3 } }, 'x')).toEqual([]);
    expect(listDifferences({ a: { type: 'string' } }, { a: { type: 'integer' } }, 'x')).toEqual(['x.a.type: integer']);
    expect(listDifferences({ enum: ['a', 'b'] }, { enum: ['a'] }, 'x')).toEqual(['x.enum: "b"']);
  });

  it.runIf(published)('agrees with the published document, whose file FABRIC_NETBOX_SCHEMA names', () => {
    const { schemas } = NETBOX_API.components;
    for (const [name, schema] of Object.entries(schemas))
      expect(listDifferences(schema, published?.components.schemas[name], name)).toEqual([]);
    for (const [path, { get }] of Object.entries(NETBOX_API.paths)) {
      const theirs = published?.paths[path]?.get;
      for (const { name, schema } of get.parameters) {
        const found = theirs?.parameters.find((one) => one.name === name && one.in === 'query');
        expect(listDifferences(schema, found?.schema, `${path}?${name}`)).toEqual([]);
      }
      expect(listDifferences(get.responses, theirs?.responses, path)).toEqual([]);
    }
  });
});
