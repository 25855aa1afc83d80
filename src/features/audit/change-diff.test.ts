import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeDiff, leafText } from './change-diff';

test('added, removed, changed and same', () => {
  expect(
    changeDiff({ name: 'a', tags: ['x'], gone: 1, same: true }, { name: 'b', tags: ['x', 'y'], new: null, same: true }),
  ).toEqual([
    { path: 'name', before: 'a', after: 'b', kind: 'changed' },
    { path: 'tags[1]', before: undefined, after: 'y', kind: 'added' },
    { path: 'new', before: undefined, after: null, kind: 'added' },
    { path: 'gone', before: 1, after: undefined, kind: 'removed' },
    { path: 'tags[0]', before: 'x', after: 'x', kind: 'same' },
    { path: 'same', before: true, after: true, kind: 'same' },
  ]);
});

test('creation and deletion have one side only; nothing and nothing is nothing', () => {
  expect(changeDiff(null, { a: 1 })).toEqual([{ path: 'a', before: undefined, after: 1, kind: 'added' }]);
  expect(changeDiff({ a: 1 }, null)).toEqual([{ path: 'a', before: 1, after: undefined, kind: 'removed' }]);
  expect(changeDiff(null, undefined)).toEqual([]);
});

test('every leaf of both sides is there once, and a value never differs from itself', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, json, (before, after) => {
      const lines = changeDiff(before, after);
      expect(new Set(lines.map((line) => line.path)).size).toBe(lines.length);
      expect(changeDiff(before, before).every((line) => line.kind === 'same')).toBe(true);
      const mirrored = changeDiff(after, before);
      expect(mirrored.filter((line) => line.kind === 'added').length).toBe(
        lines.filter((line) => line.kind === 'removed').length,
      );
    }),
  );
});

test.each([
  ['', '""'],
  ['x', 'x'],
  [null, 'null'],
  [[], '[]'],
  [false, 'false'],
])('%o reads %s', (value, text) => expect(leafText(value)).toBe(text));
