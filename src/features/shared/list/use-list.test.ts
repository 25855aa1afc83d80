import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRows } from './use-list';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 8 });

describe('chooseRows', () => {
  it('counts what it acts on, whatever was selected before the rows changed', () => {
    fc.assert(
      fc.property(ids, ids, (shown, selected) => {
        const rows = shown.map((id) => ({ id }));
        const { chosen, selection } = chooseRows(rows, ({ id }) => id, new Set(selected));
        expect(chosen).toEqual(rows.filter(({ id }) => selected.includes(id)));
        expect([...selection]).toEqual(chosen.map(({ id }) => id));
      }),
    );
  });

  it('selects nothing when no selected row is shown', () => {
    expect(chooseRows([{ id: 'b' }], ({ id }) => id, new Set(['a']))).toEqual({ chosen: [], selection: new Set() });
  });
});
