import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomSource } from '../random-state.fixture';
import {
  type Addresses,
  type Box,
  boxHas,
  buildBox,
  findWitness,
  intersectBoxes,
  isEmptyBox,
  subtractBoxes,
} from './box';
import { formatBox } from './rows';
import { packetsIn, smallSpace } from './small-space.fixture';
import { intersectSpans, joinSpans, overlap, type Span, spansHave, subtractSpans } from './spans';

const spans = fc
  .array(fc.tuple(fc.nat(40), fc.nat(6)), { maxLength: 6 })
  .map((list) => joinSpans(list.map(([first, length]): Span<number> => ({ first, last: first + length }))));
const VALUES = Array.from({ length: 50 }, (_, value) => value);

describe('spans', () => {
  it('intersect, subtract and overlap as sets of values do', () => {
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const [both, rest] = [intersectSpans(a, b), subtractSpans(a, b)];
        for (const value of VALUES) {
          expect(spansHave(both, value)).toBe(spansHave(a, value) && spansHave(b, value));
          expect(spansHave(rest, value)).toBe(spansHave(a, value) && !spansHave(b, value));
        }
        expect(overlap(a, b)).toBe(both.length > 0);
        for (const list of [both, rest]) expect(joinSpans(list)).toEqual(list);
      }),
    );
  });
});

/** A set within another, sometimes with addresses of one kind of last octet only. */
function boxWithin(space: Box, random: () => number): Box {
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.6);
  const addresses = ({ spans: all }: Addresses): Addresses => {
    const kind = random();
    return { spans: some(all), ...(kind < 0.15 ? { last_octet: '255' } : kind < 0.3 && { last_octet: 'other' }) };
  };
  return {
    family: space.family,
    protocols: some(space.protocols),
    icmp: some(space.icmp),
    destination_ports: some(space.destination_ports),
    source_ports: some(space.source_ports),
    destinations: addresses(space.destinations),
    sources: addresses(space.sources),
  };
}

describe('boxes', () => {
  it('intersect and subtract as sets of packets do', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(4 as const, 6 as const), (seed, family) => {
        const random = randomSource(seed);
        const space = smallSpace(random, family);
        const [a, b] = [boxWithin(space, random), boxWithin(space, random)];
        const [both, pieces] = [intersectBoxes(a, b), subtractBoxes(a, b)];
        let met = 0;
        for (const packet of packetsIn(space, 'in')) {
          const [inA, inB] = [boxHas(a, packet), boxHas(b, packet)];
          if (boxHas(both, packet) !== (inA && inB)) expect(packet).toBeNull();
          if (pieces.filter((piece) => boxHas(piece, packet)).length !== Number(inA && !inB)) expect(packet).toBeNull();
          if (inA) met++;
        }
        expect(isEmptyBox(a)).toBe(met === 0);
        for (const piece of pieces) expect(isEmptyBox(piece)).toBe(false);
        const witness = findWitness(a, 'in');
        if (witness) expect(boxHas(a, witness)).toBe(true);
      }),
      { numRuns: 12, seed: 150 },
    );
  });

  it('limits packets without ports to none where ports are given', () => {
    const box = buildBox({ family: 4, ports: [{ first: 443, last: 443 }] });
    expect(box.protocols).toEqual([6, 17, 33, 132, 136]);
    expect(buildBox({ family: 6, icmp: [{ type: 128 }] }).protocols).toEqual([58]);
    expect(buildBox({ family: 4, icmp: [{ type: 3, code: 4 }] }).icmp).toEqual([{ first: 772, last: 772 }]);
  });

  it('reads as networks, ranges, names and exceptions', () => {
    const box = buildBox({
      family: 4,
      icmp: [{ type: 8 }, { type: 3, code: 4 }, { type: 40 }, { type: 41 }, { type: 42 }],
    });
    const span = (first: bigint, last: bigint) => ({ first, last });
    const sources = { spans: [span(0x0a000000n, 0x0a0000ffn), span(0x0a000201n, 0x0a000206n), span(1n, 1n)] };
    expect(formatBox({ ...box, sources })).toEqual({
      from: { networks: ['10.0.0.0/24', '10.0.2.1-10.0.2.6', '0.0.0.1'], except: false, left_out: 0, last_octet: null },
      to: null,
      protocols: ['icmp'],
      ports: null,
      source_ports: null,
      icmp: ['3/4', 'echo-request', '40-42'],
    });
    const others = buildBox({
      family: 4,
      protocols: Array.from({ length: 256 }, (_, at) => at).filter((at) => at !== 6),
    });
    expect(formatBox(others).protocols).toEqual(['0-5', '7-255']);
    const destinations = { spans: [span(0n, 0x09ffffffn), span(0x0b000000n, 0xffffffffn)], last_octet: '255' } as const;
    const to = { networks: ['10.0.0.0/8'], except: true, left_out: 0, last_octet: '255' };
    expect(formatBox({ ...others, destinations }).to).toEqual(to);
  });
});
