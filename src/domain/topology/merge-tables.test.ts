import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conversation, ConversationNames, type ConversationTable, readRows, tabulate } from './conversation-table';
import { mergeTables, selectRows, sortBySource, takeHeaviest } from './merge-tables';

const end = fc.constantFrom('a', 'b', null);
const prefix = fc.constantFrom('10.0.0.0/24', '203.0.113.0/24');
const conversation: fc.Arbitrary<Conversation> = fc.record({
  source_workload_id: end,
  source_prefix: prefix,
  source_internal: fc.boolean(),
  destination_workload_id: end,
  destination_prefix: prefix,
  destination_internal: fc.boolean(),
  protocol: fc.constantFrom('tcp', 'udp'),
  port: fc.constantFrom(53, 443, null),
  decision: fc.constantFrom('observed', 'drop'),
  bytes: fc.nat(5),
  packets: fc.nat(5),
  flows: fc.nat(5),
  last_seen_at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z'),
});
const toKey = ({ bytes: _, packets: __, flows: ___, last_seen_at: ____, ...identity }: Conversation) =>
  JSON.stringify(Object.entries(identity).sort());
/** Each conversation once. */
const conversations = fc.uniqueArray(conversation, { maxLength: 30, selector: toKey });
const toComparable = (rows: readonly Conversation[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
const expectRows = (table: ConversationTable, rows: readonly Conversation[]) =>
  expect(toComparable(readRows(table))).toEqual(toComparable(rows));

describe('conversation tables', () => {
  it('read what was written, in its order', () => {
    fc.assert(
      fc.property(conversations, (rows) => {
        expect(readRows(tabulate(rows))).toEqual(rows);
      }),
    );
  });

  it('add up the same conversations of two tables, and change neither', () => {
    fc.assert(
      fc.property(conversations, conversations, (some, others) => {
        const names = new ConversationNames();
        const [first, second] = [tabulate(some, names), tabulate(others, names)];
        const added = new Map<string, Conversation>();
        for (const row of [...some, ...others]) {
          const known = added.get(toKey(row));
          added.set(toKey(row), {
            ...row,
            bytes: row.bytes + (known?.bytes ?? 0),
            packets: row.packets + (known?.packets ?? 0),
            flows: row.flows + (known?.flows ?? 0),
            last_seen_at: known && known.last_seen_at > row.last_seen_at ? known.last_seen_at : row.last_seen_at,
          });
        }
        const merged = mergeTables(first, second);
        expectRows(merged, [...added.values()]);
        expect([merged.source.length, merged.last_seen.length]).toEqual([merged.size, merged.size]);
        expectRows(first, some);
        expectRows(second, others);
      }),
    );
  });

  it('have the heaviest rows, and all where there are no more', () => {
    fc.assert(
      fc.property(conversations, fc.nat(32), fc.constantFrom(1, 1.1, 3e14), (given, most, scale) => {
        const rows = given.map((row) => ({ ...row, bytes: row.bytes * scale }));
        const found = readRows(takeHeaviest(tabulate(rows), most));
        const heaviest = rows.map(({ bytes }) => bytes).sort((a, b) => b - a);
        expect(found.map(({ bytes }) => bytes).sort((a, b) => b - a)).toEqual(heaviest.slice(0, most));
        expect(new Set(found.map(toKey)).size).toBe(found.length);
        expect(rows).toEqual(expect.arrayContaining(found));
      }),
    );
  });

  it('keep their rows in another order, by who opened them', () => {
    fc.assert(
      fc.property(conversations, (rows) => {
        const table = tabulate(rows);
        const sorted = sortBySource(table);
        expectRows(sorted, rows);
        expect([...sorted.source]).toEqual([...table.source].sort((a, b) => a - b));
        expect(readRows(selectRows(table, Uint32Array.of()))).toEqual([]);
      }),
    );
  });
});
