import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeDiff } from './change-diff';

const rule = (id: string, position: number, action = 'accept') => ({ id, position, action });

describe('changeDiff', () => {
  it('returns added, removed and changed fields before unchanged ones', () => {
    expect(
      changeDiff(
        { name: 'a', gone: 1, same: true, definition: { direction: 'in' } },
        {
          name: 'b',
          new: null,
          same: true,
          definition: { direction: 'out' },
        },
      ),
    ).toEqual([
      { path: ['name'], before: 'a', after: 'b', kind: 'changed' },
      { path: ['new'], before: undefined, after: null, kind: 'added' },
      { path: ['definition', 'direction'], before: 'in', after: 'out', kind: 'changed' },
      { path: ['gone'], before: 1, after: undefined, kind: 'removed' },
      { path: ['same'], before: true, after: true, kind: 'same' },
    ]);
  });

  it('returns only the entries of a list that were added or removed', () => {
    expect(changeDiff({ tags: ['a', 'b', 'c'] }, { tags: ['b', 'c', 'd'] })).toMatchObject([
      {
        path: ['tags'],
        kind: 'changed',
        entries: [
          { kind: 'added', after: 'd' },
          { kind: 'removed', before: 'a' },
        ],
      },
    ]);
  });

  it('recognizes entries with an id after they were changed or moved', () => {
    const before = { rules: [rule('a', 0), rule('b', 1), rule('c', 2)] };
    const after = { rules: [rule('b', 0), rule('a', 1), rule('c', 2, 'drop')] };
    expect(changeDiff(before, after)[0]?.entries?.map(({ kind }) => kind)).toEqual(['moved', 'moved', 'changed']);
  });

  it('returns one side for a creation and a deletion, and nothing for nothing', () => {
    expect(changeDiff(null, { a: 1 })).toEqual([{ path: ['a'], before: undefined, after: 1, kind: 'added' }]);
    expect(changeDiff({ a: 1 }, null)).toEqual([{ path: ['a'], before: 1, after: undefined, kind: 'removed' }]);
    expect(changeDiff(null, undefined)).toEqual([]);
  });

  it('loses no difference, invents none, and is symmetric', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const plain = (value: unknown) => JSON.stringify(value).replace(/^\{\}$/, 'null');
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([key, inner]) => [key, sorted(inner)]),
            )
          : value;
    fc.assert(
      fc.property(json, json, (before, after) => {
        const lines = changeDiff(before, after);
        expect(lines.every(({ kind }) => kind === 'same')).toBe(plain(sorted(before)) === plain(sorted(after)));
        expect(new Set(lines.map(({ path }) => JSON.stringify(path))).size).toBe(lines.length);
        expect(changeDiff(before, before).every(({ kind }) => kind === 'same')).toBe(true);
        for (const { kind, entries } of lines)
          if (kind !== 'same' && entries) expect(entries.length).toBeGreaterThan(0);
        const count = (all: typeof lines, requested: string) => all.filter(({ kind }) => kind === requested).length;
        expect(count(changeDiff(after, before), 'added')).toBe(count(lines, 'removed'));
      }),
    );
  });
});
