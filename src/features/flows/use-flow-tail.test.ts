import { expect, it } from 'vitest';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import { mergeTail, TAIL_ROWS } from './use-flow-tail';

const flow = (id: string, second: number, bytes = 1) =>
  ({ id, bytes, observed_at: new Date(1_700_000_000_000 + second * 1000).toISOString() }) as EvaluatedFlow;
const ids = (flows: EvaluatedFlow[]) => flows.map(({ id }) => id);

it('replaces what it knows and puts the newest first', () => {
  const shown = mergeTail([], [flow('a', 1), flow('b', 2)]);
  expect(ids(shown)).toEqual(['b', 'a']);
  const next = mergeTail(shown, [flow('a', 3, 9), flow('c', 2)]);
  expect(ids(next)).toEqual(['a', 'c', 'b']);
  expect(next[0]?.bytes).toBe(9);
  expect(mergeTail(next, next)).toEqual(next);
});

it('lets the oldest go', () => {
  const many = Array.from({ length: TAIL_ROWS + 50 }, (_, i) => flow(`f${i}`, i));
  const kept = mergeTail(many.slice(0, 300), many.slice(300));
  expect(kept).toHaveLength(TAIL_ROWS);
  expect(kept[0]?.id).toBe(`f${TAIL_ROWS + 49}`);
  expect(kept.at(-1)?.id).toBe('f50');
});
