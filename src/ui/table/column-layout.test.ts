import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clampWidth, formatLayout, GREATEST_WIDTH, LEAST_WIDTH, layOut, parseLayout } from './column-layout';

const COLUMNS = [
  { id: 'name', width: 240, grow: true },
  { id: 'status', width: 100 },
  { id: 'created_at', width: 110, hidden: true },
];

const ids = fc.constantFrom(...COLUMNS.map(({ id }) => id));
const layouts = fc.record({
  shown: fc.dictionary(ids, fc.boolean()),
  widths: fc.dictionary(ids, fc.integer({ min: LEAST_WIDTH, max: GREATEST_WIDTH })),
});
const shownBy = (shown: Readonly<Record<string, boolean>>) =>
  COLUMNS.filter(({ id, hidden }) => shown[id] ?? !hidden).map(({ id }) => id);

describe('formatLayout and parseLayout', () => {
  it('keep what a person sees', () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const again = parseLayout(formatLayout(layout, COLUMNS));
        expect(shownBy(again.shown)).toEqual(shownBy(layout.shown));
        expect(again.widths).toEqual(layout.widths);
      }),
    );
  });

  it('store only what differs from the declaration', () => {
    expect(formatLayout({ shown: { name: true, status: true, created_at: false }, widths: {} }, COLUMNS)).toBeNull();
    expect(parseLayout(formatLayout({ shown: { status: false, name: true }, widths: {} }, COLUMNS)).shown).toEqual({
      status: false,
    });
  });

  it('read what earlier versions stored', () => {
    expect(parseLayout('{"name":true,"status":false}')).toEqual({ shown: { name: true, status: false }, widths: {} });
  });

  it('read anything else as the default', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (stored) => {
        const { shown, widths } = parseLayout(stored);
        for (const isShown of Object.values(shown)) expect(typeof isShown).toBe('boolean');
        for (const width of Object.values(widths)) expect(width).toBe(clampWidth(width));
      }),
    );
    expect(parseLayout('{"widths":{"name":1e9,"status":-4,"vmid":"wide"}}').widths).toEqual({
      name: GREATEST_WIDTH,
      status: LEAST_WIDTH,
    });
  });
});

describe('layOut', () => {
  it('lets declared columns grow until they are sized', () => {
    expect(layOut(COLUMNS, {}, { extra: 40 })).toEqual({
      widths: [undefined, '100px', '110px'],
      least: 'calc(min(240px, 44vw) + 100px + 110px + 40px)',
      grows: true,
    });
    const sized = layOut(COLUMNS, { name: 400 }, { extra: 0 });
    expect(sized.widths[0]).toBe('min(400px, 44vw)');
    expect(sized.grows).toBe(false);
  });

  it('fills the table when no column grows and none was sized', () => {
    expect(layOut([{ id: 'name', width: 100 }], { other: 50 }, { extra: 0 }).grows).toBe(true);
  });
});
