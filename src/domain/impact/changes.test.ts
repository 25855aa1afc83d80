import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timesTried } from '@/test/thorough';
import { evaluate } from '../firewall/evaluate';
import { prepareGuest } from '../firewall/prepare-guest';
import { randomSource } from '../firewall/random-state.fixture';
import { packetKey, packetsIn, randomGuest, smallSpace } from '../firewall/space/small-space.fixture';
import { findChanges, verdictKey } from './changes';
import { randomChange, randomNicChange } from './random-change.fixture';

const WAYS = [
  ['in', 4],
  ['in', 6],
  ['out', 4],
  ['out', 6],
] as const;
const PAIRS = timesTried(10, 500);
/** The same pairs in every ordinary run, which has too few to meet everything. */
const RUNS = { numRuns: PAIRS, ...(PAIRS < 100 && { seed: 158 }) };

describe('findChanges', () => {
  it('finds exactly the packets of a small space that two filters treat differently', { timeout: 600_000 }, () => {
    const seen = { gained: 0, lost: 0, unknown: 0, same: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { state, nic } = randomGuest(seed);
        const random = randomSource(seed + 4);
        const before = prepareGuest(state, nic);
        const after = prepareGuest(randomChange(state, random), randomNicChange(nic, random));
        for (const [direction, family] of WAYS) {
          const space = smallSpace(random, family);
          const found = new Map<string, readonly [string, string]>();
          for (const change of findChanges(before, after, direction, space, { left: Infinity })) {
            for (const packet of packetsIn(change.box, direction)) {
              const key = packetKey(packet);
              if (found.has(key)) expect({ packet, found: 'twice' }).toBeNull();
              found.set(key, [verdictKey(change.before), verdictKey(change.after)]);
            }
          }
          for (const packet of packetsIn(space, direction)) {
            const verdicts = [evaluate(before, packet), evaluate(after, packet)] as const;
            const [one, other] = verdicts.map(({ verdict }) => verdict);
            const change = found.get(packetKey(packet));
            if (change) {
              if (change.join() !== verdicts.map(verdictKey).join()) {
                expect({ packet, change }).toEqual({ packet, change: verdicts });
              }
              seen[one === 'unknown' || other === 'unknown' ? 'unknown' : one === 'accept' ? 'lost' : 'gained']++;
              continue;
            }
            // What was undecided and still is need not be named where no rule changes.
            const same =
              one === other || (one !== 'accept' && other !== 'accept' && one !== 'unknown' && other !== 'unknown');
            if (!same) expect({ packet, found: null, state }).toEqual({ packet, found: verdicts, state });
            seen.same++;
          }
        }
      }),
      RUNS,
    );
    // A comparison that never meets one of these proves nothing about it.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(PAIRS * 5);
  });
});
