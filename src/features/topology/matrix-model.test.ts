import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOPOLOGY_GROUPINGS } from '@/domain/choices';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { english } from '@/lib/i18n/translator';
import { moveByKey } from '../shared/grid-moves';
import { buildMap } from './map-model';
import { buildMatrix, computeVisibleRange } from './matrix-model';
import { randomTopology } from './random-topology.fixture';

describe('buildMatrix', () => {
  it('has every connection in one cell: totals by outcome are those of the map', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.integer({ min: 2, max: 40 }),
        fc.constantFrom(...TOPOLOGY_GROUPINGS),
        fc.boolean(),
        (seed, workloads, grouping, expanded) => {
          const expand = expanded ? 'all' : [];
          const topology = randomTopology(seed, { workloads, edges: 4 * workloads }, { grouping, expand });
          const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });
          const { rows, columns, cellAt, cells } = buildMatrix(model);
          const all = rows.flatMap((_, row) => columns.flatMap((__, column) => cellAt(row, column) ?? []));
          expect(all.length).toBe(cells);
          expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(topology.sums.bytes);
          for (const verdict of EDGE_VERDICTS) {
            const flows = all.flatMap(({ verdicts }) => verdicts.filter((one) => one.verdict === verdict));
            const expected = topology.edges.filter((edge) => edge.verdict === verdict);
            expect(flows.reduce((sum, one) => sum + one.flows, 0)).toBe(
              expected.reduce((sum, edge) => sum + edge.flows, 0),
            );
          }
          for (const { verdict, verdicts } of all) expect(verdict).toBe(verdicts[0]?.verdict);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('moveByKey', () => {
  it('never leaves the table, and reaches every corner', () => {
    const size = { rows: 7, columns: 30 };
    const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean())), (pressed) => {
        let at = { row: 3, column: 3 };
        for (const [key, all] of pressed) at = moveByKey(key, all, at, size) ?? at;
        expect([at.row >= 0 && at.row < 7, at.column >= 0 && at.column < 30]).toEqual([true, true]);
      }),
    );
    expect(moveByKey('End', true, { row: 0, column: 0 }, size)).toEqual({ row: 6, column: 29 });
    expect(moveByKey('Home', true, { row: 5, column: 9 }, size)).toEqual({ row: 0, column: 0 });
    expect(moveByKey('toString', false, { row: 5, column: 9 }, size)).toBeNull();
  });
});

it('computeVisibleRange covers what is seen and is bounded, however long the list is', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(2_000), fc.nat(5_000), (scroll, room, count) => {
      const [first, end] = computeVisibleRange(scroll, room, 28, count);
      for (const seen of [Math.ceil(scroll / 28), Math.floor((scroll + room) / 28)]) {
        if (seen * 28 < scroll + room && seen < count) expect(seen >= first && seen < end).toBe(true);
      }
      expect(end - first).toBeLessThanOrEqual(room / 28 + 12);
    }),
  );
});
