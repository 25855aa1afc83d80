import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from './evaluate';
import { possibleVerdicts } from './oracle.fixture';
import { prepareGuest } from './prepare-guest';
import { randomNic, randomPacket, randomSource, randomState, withForwarding } from './random-state.fixture';

const RULESETS = 200;
const PACKETS = getRunCount(400, 10_000);

it(`agrees with a literal reading of ${RULESETS} random rule sets about ${PACKETS} packets each`, () => {
  const seen = { accept: 0, drop: 0, reject: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = randomSource(seed + 1);
      const { cluster, node, ...guest } = randomState(seed);
      const state = {
        ...guest,
        node: node && { ...node, rules: random() < 0.5 ? [] : guest.guest.rules },
        cluster: random() < 0.5 ? withForwarding(cluster, random) : cluster,
      };
      const bridge = [undefined, 'vmbr0', 'apps', 'apps', 'apps', 'other'][Math.floor(random() * 6)];
      const nic = { ...randomNic(random), ...(bridge !== undefined && { bridge }) };
      const prepared = prepareGuest(state, nic);
      for (let count = 0; count < PACKETS; count++) {
        const packet = randomPacket(random);
        const { verdict } = evaluate(prepared, packet);
        const possible = possibleVerdicts(state, nic, packet);
        const [only] = possible;
        const expected = possible.size === 1 ? only : 'unknown';
        if (verdict !== expected)
          expect({ verdict, packet, nic, state }).toEqual({ verdict: expected, packet, nic, state });
        seen[verdict]++;
      }
    }),
    { numRuns: RULESETS },
  );
  // A comparison that never meets one of the verdicts proves nothing about it.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan((RULESETS * PACKETS) / 1_000);
});
