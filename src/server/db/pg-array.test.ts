import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** A cast through text or JSON to an array, its type written or interpolated: it is evaluated again for every row. */
const ARRAY_OF_TEXT = /::\s*(text|varchar|jsonb?)\s*\)*\s*::\s*(\$\{[^}]*\}|\w+)\s*\[\]/;
/** An array made from a parameter by a function, which has the same cost. */
const ARRAY_OF_PARAMETER = /(string_to_array|regexp_split_to_array)\s*\(\s*\$\{/;

const sources = ['src', 'workers', 'packages'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$/.test(name))
    .map((name) => join(folder, name)),
);

it('each array is sent as a parameter: no statement casts text to an array', () => {
  expect(sources.length).toBeGreaterThan(500);
  const wrong = sources.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
      .filter((line) => ARRAY_OF_TEXT.test(line) || ARRAY_OF_PARAMETER.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

it.each([
  `any (\${ids}::text::uuid[])`,
  `any((\${ids}::text)::uuid[])`,
  `unnest(\${values}::text::\${sql.raw(type)}[])`,
  `any (string_to_array(\${ids}, ','))`,
])('recognizes %s', (line) => {
  expect(ARRAY_OF_TEXT.test(line) || ARRAY_OF_PARAMETER.test(line)).toBe(true);
});
