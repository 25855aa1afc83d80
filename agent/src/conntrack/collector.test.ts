import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConntrackCollector } from './collector';
import { TextEntry } from './text-entry';

/** What a way of reading does: all connections, or an error after so many of them. */
type Dumped = 'complete' | number;

/** Connections that transfer bytes, read by ways of which each attempt ends as given. */
function readConnections(ways: readonly ('netlink' | 'file')[]) {
  const totals = new Map<number, number>();
  const ends = new Map<string, Dumped>();
  const entry = new TextEntry();
  const collector = new ConntrackCollector(
    null,
    ways.map((name) => ({
      name,
      dump: async (visit) => {
        const end = ends.get(name) ?? 'complete';
        let visited = 0;
        for (const [port, bytes] of totals) {
          if (visited === end) break;
          visited += 1;
          const line =
            `ipv4 2 udp 17 9 src=10.0.0.1 dst=10.0.0.2 sport=${port} dport=53 packets=${bytes} bytes=${bytes} ` +
            `src=10.0.0.2 dst=10.0.0.1 sport=53 dport=${port} packets=0 bytes=0 mark=0`;
          if (entry.read(line)) visit(entry);
        }
        if (end !== 'complete') throw new Error('EAGAIN');
      },
    })),
  );
  const transfer = (port: number, bytes: number) => totals.set(port, (totals.get(port) ?? 0) + bytes);
  return { collector, totals, ends, transfer };
}

const addTotals = (totals: ReadonlyMap<number, number>) => [...totals.values()].reduce((sum, bytes) => sum + bytes, 0);
const anyEnd = fc.oneof<fc.Arbitrary<Dumped>[]>(fc.constant('complete'), fc.integer({ min: 0, max: 3 }));
const anyTransfer = fc.dictionary(fc.constantFrom('1', '2', '3'), fc.integer({ min: 1, max: 9 }));

describe('ConntrackCollector', () => {
  it('counts all that is new since the last complete dump, however many failed', async () => {
    const steps = fc.array(fc.record({ sent: anyTransfer, end: anyEnd }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyTransfer, steps, async (before, sent) => {
        const { collector, totals, ends, transfer } = readConnections(['netlink']);
        for (const [port, bytes] of Object.entries(before)) transfer(Number(port), bytes);
        await collector.snapshot(10);
        let counted = addTotals(totals);
        let known = new Set(totals.keys());
        for (const step of sent) {
          for (const [port, bytes] of Object.entries(step.sent)) transfer(Number(port), bytes);
          ends.set('netlink', step.end);
          const snapshot = await collector.snapshot(10);
          if (step.end !== 'complete') {
            expect(snapshot).toBeNull();
            continue;
          }
          const added = (snapshot?.connections ?? []).filter(({ isNew }) => isNew);
          expect(snapshot).toMatchObject({ isFirst: false, newBytes: addTotals(totals) - counted });
          expect(added.map(({ entry }) => entry.original.sourcePort).sort()).toEqual(
            [...totals.keys()].filter((port) => !known.has(port)).sort(),
          );
          counted = addTotals(totals);
          known = new Set(totals.keys());
        }
      }),
    );
  });

  it('never counts twice, whichever way works', async () => {
    const steps = fc.array(fc.record({ sent: anyTransfer, netlink: anyEnd, file: anyEnd }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyTransfer, steps, async (before, sent) => {
        const { collector, totals, ends, transfer } = readConnections(['netlink', 'file']);
        for (const [port, bytes] of Object.entries(before)) transfer(Number(port), bytes);
        const start = addTotals(totals);
        await collector.snapshot(10);
        let counted = 0;
        for (const step of sent) {
          for (const [port, bytes] of Object.entries(step.sent)) transfer(Number(port), bytes);
          ends.set('netlink', step.netlink);
          ends.set('file', step.file);
          counted += (await collector.snapshot(10))?.newBytes ?? 0;
          expect(counted).toBeLessThanOrEqual(addTotals(totals) - start);
        }
      }),
    );
  });
});
