import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timesTried } from '@/test/thorough';
import { evaluate } from '../evaluate';
import type { Packet } from '../packet';
import { prepareGuest } from '../prepare-guest';
import { randomSource } from '../random-state.fixture';
import { boxHas, boxOf } from './box';
import { decompose } from './decompose';
import { openingPacket, randomGuest } from './random-guest.fixture';

const GUESTS = timesTried(60, 1_000);
const PACKETS = 60;

describe('decompose', () => {
  it('divides every packet into exactly one part, with the verdict of the packet', () => {
    const seen = { accept: 0, drop: 0, reject: 0, unknown: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { state, nic } = randomGuest(seed);
        const guest = prepareGuest(state, nic);
        const random = randomSource(seed + 2);
        for (const direction of ['in', 'out'] as const) {
          for (const family of [4, 6] as const) {
            const parts = [...decompose(guest, direction, boxOf({ family }))];
            for (let count = 0; count < PACKETS; count++) {
              const packet: Packet = { ...openingPacket(random), direction };
              if (packet.source.family !== family) continue;
              const verdict = evaluate(guest, packet);
              const found = parts.filter(({ box }) => boxHas(box, packet)).map((part) => part.verdict);
              expect({ packet, found, state, nic }).toEqual({ packet, found: [verdict], state, nic });
              seen[verdict.verdict]++;
            }
          }
        }
      }),
      { numRuns: GUESTS },
    );
    // A comparison that never meets one of the verdicts proves nothing about it.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(GUESTS / 4);
  });

  it('stays within the box', () => {
    const { state, nic } = randomGuest(1);
    const guest = prepareGuest(state, nic);
    const box = boxOf({ family: 4, protocols: [6], ports: [{ first: 20, last: 25 }] });
    for (const part of decompose(guest, 'in', box)) {
      expect(boxHas(box, part.packet)).toBe(true);
      expect(boxHas(part.box, part.packet)).toBe(true);
      expect(part.box.protocols).toEqual([6]);
    }
  });
});
