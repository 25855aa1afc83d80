import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../evaluate';
import { evaluateNode } from '../evaluate-node';
import type { Packet } from '../packet';
import { prepareGuest } from '../prepare-guest';
import { prepareNodeFilter } from '../prepare-node-filter';
import { randomCluster } from '../random-cluster.fixture';
import { randomPacket, randomSource, WAYS } from '../random-state.fixture';
import { type Box, boxHas, buildBox } from './box';
import { decompose, decomposeNode, type Part } from './decompose';
import { countPackets, packetsToTry, randomGuest, smallSpace } from './small-space.fixture';

type Answer = { readonly verdict: 'accept' | 'drop' | 'reject' | 'unknown' };
type Subject = {
  readonly parts: (direction: 'in' | 'out', box: Box) => Iterable<Part<Answer>>;
  readonly evaluate: (packet: Packet) => Answer;
};

const createGuestSubject = (seed: number): Subject => {
  const { state, nic } = randomGuest(seed);
  const guest = prepareGuest(state, nic);
  return { parts: (...of) => decompose(guest, ...of), evaluate: (packet) => evaluate(guest, packet) };
};
const createNodeSubject = (seed: number): Subject => {
  const implementation = (['iptables', 'nftables', null] as const)[Math.abs(seed) % 3] ?? null;
  const filter = prepareNodeFilter(randomCluster(seed, implementation), 'a');
  return { parts: (...of) => decomposeNode(filter, ...of), evaluate: (packet) => evaluateNode(filter, packet) };
};

const SUBJECTS = getRunCount(48, 500);
/** The same in every ordinary run, which has too few to meet everything. */
const RUNS = { numRuns: SUBJECTS, ...(SUBJECTS < 100 && { seed: 150 }) };

describe.each([
  ['guests', createGuestSubject],
  ['nodes', createNodeSubject],
])('decompose: %s', (_, subjectOf) => {
  it('divides every packet of a small space into one part, with the verdict of the packet', () => {
    const seen = { accept: 0, drop: 0, reject: 0, unknown: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const subject = subjectOf(seed);
        const random = randomSource(seed + 2);
        for (const [direction, family] of WAYS) {
          const space = smallSpace(random, family);
          const parts = [...subject.parts(direction, space)];
          // Apart from each other, and together the whole space.
          expect(parts.reduce((sum, { box }) => sum + countPackets(box), 0)).toBe(countPackets(space));
          for (const packet of packetsToTry(space, direction, random, 30)) {
            const found = parts.filter(({ box }) => boxHas(box, packet)).length;
            if (found !== 1) expect({ packet, found }).toEqual({ packet, found: 1 });
          }
          for (const { box, packet: representative, verdict } of parts) {
            expect(boxHas(box, representative)).toBe(true);
            const expected = JSON.stringify(verdict);
            for (const packet of packetsToTry(box, direction, random, 6)) {
              const found = subject.evaluate(packet);
              if (JSON.stringify(found) !== expected) {
                expect({ packet, representative, found }).toEqual({ packet, representative, found: verdict });
              }
              seen[found.verdict]++;
            }
          }
        }
      }),
      RUNS,
    );
    // A comparison that never meets one of the verdicts proves nothing about it.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(SUBJECTS);
  });

  it('finds the part of every packet in the whole space', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const subject = subjectOf(seed);
        const random = randomSource(seed + 3);
        for (const [direction, family] of WAYS) {
          const parts = [...subject.parts(direction, buildBox({ family }))];
          for (let count = 0; count < 8; count++) {
            const { state: _state, tcp_syn, source_mac, ...drawn } = randomPacket(random);
            const packet: Packet = {
              source_port: 1,
              destination_port: 2,
              icmp_type: 8,
              icmp_code: 0,
              ...drawn,
              direction,
            };
            if (packet.source.family !== family) continue;
            const found = parts.filter(({ box }) => boxHas(box, packet)).map(({ verdict }) => verdict);
            expect({ packet, found }).toEqual({ packet, found: [subject.evaluate(packet)] });
          }
        }
      }),
      { ...RUNS, numRuns: Math.ceil(SUBJECTS / 4) },
    );
  });
});
