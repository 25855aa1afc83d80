import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@/domain/durations';
import { encodeCursor } from '../../../db/keyset';
import type { FlowSelection } from '../flow-selection';
import { readNewestFirst } from './newest-first';

const END = Date.parse('2026-01-02T00:00:00Z');
const iso = (time: number) => new Date(time).toISOString();
const selectLast = (hours: number, values: Partial<FlowSelection> = {}): FlowSelection => ({
  ...{ visible: 'all', prefixes: 'all', periods: [], filter: {}, named: [] },
  ...{ cutoff: iso(END - 30 * 24 * HOUR_MS), since: iso(END - hours * HOUR_MS), until: iso(END) },
  ...values,
});

/** A store of times, with what it was asked for. */
function createStore(times: readonly number[], limit: number, before = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  const read = async ({ since }: FlowSelection) => {
    asked.push(since);
    const found = times.filter((time) => time >= Date.parse(since) && time < before);
    return found.sort((a, b) => b - a).slice(0, limit);
  };
  return { asked, read };
}

describe('readNewestFirst', () => {
  it('gives what a read of the whole range gives, for every page', async () => {
    // Most within the spans that are read first, some where they end.
    const age = fc.oneof(
      fc.integer({ min: 0, max: 90 * SECOND_MS }),
      fc.integer({ min: 0, max: 40 * MINUTE_MS }),
      fc.integer({ min: 0, max: 24 * HOUR_MS }),
      fc.constantFrom(MINUTE_MS, 30 * MINUTE_MS, 24 * HOUR_MS),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(age, { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(1, 6, 24),
        async (ages, limit, hours) => {
          const times = ages.map((one) => END - one);
          const selection = selectLast(hours);
          for (let before: number | undefined; ; ) {
            const { asked, read } = createStore(times, limit, before);
            const cursor = before === undefined ? undefined : encodeCursor(iso(before), 'a');
            const rows = await readNewestFirst(selection, { cursor }, limit, read);
            expect(rows).toEqual(await createStore(times, limit, before).read(selection));
            expect(asked.length).toBeLessThanOrEqual(3);
            if (rows.length < limit) break;
            before = rows.at(-1);
          }
        },
      ),
    );
  });

  it('reads no more of a long range than fills the page', async () => {
    const { asked, read } = createStore([END - 10_000, END - 20_000, END - 20 * MINUTE_MS], 3);
    await readNewestFirst(selectLast(24), {}, 3, read);
    expect(asked).toEqual([iso(END - MINUTE_MS), iso(END - 30 * MINUTE_MS)]);
  });

  it.each([
    ['of a short range', selectLast(0.1), {}],
    ['in another order', selectLast(24), { sort: 'observed_at' }],
    ['of which little is stored', selectLast(24, { cutoff: iso(END - 5 * MINUTE_MS) }), {}],
    ['of one workload', selectLast(24, { filter: { workload_id: 'a' } }), {}],
    ['of conversations that a text means', selectLast(24, { conversations: {} as never }), {}],
  ])('reads a page %s as a whole', async (_, selection, input) => {
    const { asked, read } = createStore([END - 1], 1);
    await readNewestFirst(selection, input, 1, read);
    expect(asked).toEqual([selection.since]);
  });
});
