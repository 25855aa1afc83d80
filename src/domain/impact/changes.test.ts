import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../firewall/evaluate';
import { prepareGuest } from '../firewall/prepare-guest';
import { randomSource, WAYS } from '../firewall/random-state.fixture';
import { boxHas } from '../firewall/space/box';
import { packetsToTry, randomGuest, smallSpace } from '../firewall/space/small-space.fixture';
import { findChanges, verdictKey } from './changes';
import { randomChange, randomNicChange } from './random-change.fixture';

const PAIRS = getRunCount(48, 500);
/** The same pairs in every ordinary run, which has too few to meet everything. */
const RUNS = { numRuns: PAIRS, ...(PAIRS < 500 && { seed: 158 }) };

describe('findChanges', () => {
  it('finds exactly the packets of a small space that two filters treat differently', () => {
    const seen = { gained: 0, lost: 0, unknown: 0, same: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { state, nic } = randomGuest(seed);
        const random = randomSource(seed + 4);
        const before = prepareGuest(state, nic);
        const after = prepareGuest(randomChange(state, random), randomNicChange(nic, random));
        for (const [direction, family] of WAYS) {
          const space = smallSpace(random, family);
          const changes = findChanges(before, after, direction, space, { left: Infinity });
          for (const change of changes) {
            const expected = [change.before, change.after].map(verdictKey).join();
            for (const packet of packetsToTry(change.box, direction, random, 8)) {
              const found = [evaluate(before, packet), evaluate(after, packet)];
              if (found.map(verdictKey).join() !== expected)
                expect({ packet, found }).toEqual({ packet, found: change });
            }
          }
          for (const packet of packetsToTry(space, direction, random, 150)) {
            const one = evaluate(before, packet).verdict;
            const other = evaluate(after, packet).verdict;
            const found = changes.filter(({ box }) => boxHas(box, packet)).length;
            const unknown = one === 'unknown' || other === 'unknown';
            const kind = unknown
              ? 'unknown'
              : (one === 'accept') === (other === 'accept')
                ? 'same'
                : one === 'accept'
                  ? 'lost'
                  : 'gained';
            // What was undecided and still is need not be named where no rule changes.
            const expected = kind === 'same' ? [0] : one === other ? [0, 1] : [1];
            if (!expected.includes(found))
              expect({ packet, one, other, found }).toEqual({ packet, one, other, found: expected });
            seen[kind]++;
          }
        }
      }),
      RUNS,
    );
    // A comparison that never meets one of these proves nothing about it.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(PAIRS * 5);
  });
});
