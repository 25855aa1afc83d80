import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRow } from '../../test/capture-snapshot';
import { FLOW_FLAGS } from './ebpf/layout';
import { FlowTable, KEY_WORDS } from './flow-table';

const keys = fc.tuple(...Array.from({ length: KEY_WORDS }, () => fc.integer({ min: 0, max: 3 })));

/** A key that differs in its first word only. */
const buildKey = (first: number) => new Uint32Array(KEY_WORDS).fill(first, 0, 1);

describe('FlowTable', () => {
  it('agrees with a Map over adds, intervals and forgetting', () => {
    type Model = { packets: number; fresh: number; last: number };
    const step = fc.oneof(
      { weight: 10, arbitrary: fc.record({ key: keys, packets: fc.integer({ min: 1, max: 9 }) }) },
      { weight: 1, arbitrary: fc.constant('interval' as const) },
      { weight: 1, arbitrary: fc.constant('forget' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new FlowTable();
        const model = new Map<string, Model>();
        steps.forEach((one, time) => {
          if (one === 'interval') {
            table.startInterval();
            for (const value of model.values()) value.fresh = 0;
          } else if (one === 'forget') {
            table.forget(time - 50);
            for (const [key, value] of model) if (value.last < time - 50) model.delete(key);
          } else {
            table.add(new Uint32Array(one.key), 0, one.packets, 10 * one.packets, time, time, 0);
            const known = model.get(one.key.join()) ?? { packets: 0, fresh: 0, last: 0 };
            known.packets += one.packets;
            known.fresh += one.packets;
            known.last = time;
            model.set(one.key.join(), known);
          }
        });
        const rows = new Map<string, Model>();
        for (let row = 0; row < table.size; row += 1) {
          const key = Array.from({ length: KEY_WORDS }, (_, part) => table.word(row, part)).join();
          expect(table.bytes[row]).toBe(10 * (table.packets[row] as number));
          rows.set(key, {
            packets: table.packets[row] as number,
            fresh: table.newPackets[row] as number,
            last: table.last[row] as number,
          });
        }
        expect(rows).toEqual(model);
      }),
    );
  });

  it('grows, and counts what finds no room at its limit', () => {
    const table = new FlowTable(4096);
    for (let i = 0; i < 5000; i += 1) table.add(buildKey(i), 0, 2, 100, 0, 0, 0);
    expect(table.size).toBe(4096);
    expect(table.overflow).toEqual({ packets: 2 * 904, bytes: 100 * 904 });
    table.add(buildKey(17), 0, 1, 1, 0, 0, 0);
    expect(table.packets[17]).toBe(3);
  });

  it('takes a new SYN after the end for a new connection', () => {
    const table = new FlowTable();
    const row = { source: '10.0.0.1', destination: '10.0.0.2', protocol: 6, ifindex: 1, packets: 1, bytes: 1 };
    addRow(table, { ...row, flags: FLOW_FLAGS.syn | FLOW_FLAGS.opened | FLOW_FLAGS.ack | FLOW_FLAGS.fin });
    addRow(table, { ...row, flags: FLOW_FLAGS.syn | FLOW_FLAGS.opened });
    expect(table.flags[0]).toBe(FLOW_FLAGS.syn | FLOW_FLAGS.opened);
  });
});
