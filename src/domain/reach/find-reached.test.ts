import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { type RandomTest, randomTest } from '../policy-tests/random-test.fixture';
import type { Answer, TestEnd } from '../policy-tests/test-end';
import { findReached, findSources } from './find-reached';
import { computeMatrix, TooManyServices } from './matrix';
import { ANSWER_BITS } from './pairs';
import { identifyByPlace } from './profiles';
import { tryAllPackets } from './reach-oracle.fixture';

const FABRICS = getRunCount(60, 200);

/** The answers of all packets between each two places, null: outside. */
function tryAll(test: RandomTest, everything: TestEnd) {
  const answers = new Map<string, number>();
  for (const { source, destination, verdict } of tryAllPackets({ ...test, from: everything, to: everything })) {
    const key = `${source} ${destination}`;
    answers.set(key, (answers.get(key) ?? 0) | ANSWER_BITS[verdict as Answer]);
  }
  return (source: string | null, destination: string | null) => answers.get(`${source} ${destination}`) ?? 0;
}

/** A random fabric in which every workload is at both ends, with the answers of all packets between each two of them. */
function buildFabric(seed: number, rulesBelow?: number) {
  const test = randomTest(seed, rulesBelow);
  const places = [...new Map([...test.from.places, ...test.to.places].map((place) => [place.key, place])).values()];
  const everything: TestEnd = { places, outside: test.from.outside, missing: [] };
  const get = tryAll(test, everything);
  return { test, places, everything, get };
}

const passes = (answers: number) => (answers & ANSWER_BITS.accept) !== 0;
const mayPass = (answers: number) => (answers & (ANSWER_BITS.accept | ANSWER_BITS.unknown)) !== 0;
const listKeys = (list: readonly { place: { key: string } | null }[]) =>
  list.map(({ place }) => place?.key ?? null).sort();

describe('findSources', () => {
  it('lists every place that can or may send a packet, and what is outside, as trying all of them', () => {
    let listed = 0;
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { test, places, everything, get } = buildFabric(seed);
      for (const place of places) {
        const target: TestEnd = { places: [place], outside: { 4: [], 6: [] }, missing: [] };
        const { reached, denied } = findSources(everything, target, test.assertion, identifyByPlace);
        const asked = [null, ...places.map(({ key }) => key)];
        expect(listKeys(reached)).toEqual(asked.filter((key) => mayPass(get(key, place.key))).sort());
        for (const found of reached) expect(found.between.answers).toBe(get(found.place?.key ?? null, place.key));
        expect(denied).toBe(places.filter(({ key }) => get(key, place.key) === ANSWER_BITS.deny).length);
        listed += reached.length;
      }
    }
    expect(listed).toBeGreaterThan(FABRICS);
  });
});

describe('findReached', () => {
  it('finds every place by the fewest hops over connections that certainly pass', () => {
    let far = 0;
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { test, places, everything, get } = buildFabric(seed);
      for (const origin of places) {
        const start: TestEnd = { places: [origin], outside: { 4: [], 6: [] }, missing: [] };
        const { reached } = findReached(everything, start, test.assertion, identifyByPlace, 3);
        const hops = new Map([[origin.key, 0]]);
        for (let hop = 1; hop <= 3; hop++) {
          const before = [...hops.keys()];
          for (const from of before) {
            for (const { key } of places) if (!hops.has(key) && passes(get(from, key))) hops.set(key, hop);
          }
        }
        const certain = reached.filter(({ place, between }) => place && passes(between.answers));
        expect(new Map(certain.map(({ place, hops: count }) => [place?.key, count]))).toEqual(
          new Map([...hops].filter(([, count]) => count > 0)),
        );
        for (const { place, via, hops: count } of certain) {
          const path = [origin.key, ...via.map(({ key }) => key), place?.key ?? ''];
          expect(path).toHaveLength(count + 1);
          for (const [at, key] of path.slice(1).entries()) expect(passes(get(path[at] ?? '', key))).toBe(true);
          if (count > 1) far++;
        }
      }
    }
    expect(far).toBeGreaterThan(0);
  });
});

describe('computeMatrix', () => {
  /** Rules enough for both ends to divide services. */
  const RULES = 16;
  type Fabric = ReturnType<typeof buildFabric>;
  const listSegments = (places: Fabric['places']) => [
    ...[0, 1, 2].map((one) => ({
      id: String(one),
      // The last workload of three is in two segments.
      places: places.filter((_, at) => at % 3 === one || (at % 3 === 2 && one === 0)),
    })),
    // Alone, so that nothing but the one pair says what is in a cell.
    ...places.map((place) => ({ id: place.key, places: [place] })),
  ];

  it('sums up the answers of all pairs of each two segments, of one service after the other', async () => {
    let known = 0;
    // In few of them both ends divide services and accept none in common.
    for (let seed = 1; seed <= 3 * FABRICS; seed++) {
      const { test, places, everything } = buildFabric(seed, seed % 3 === 0 ? 4 : RULES);
      const segments = listSegments(places);
      const all = [...segments.map((segment) => segment.places.map(({ key }) => key)), [null]];
      for (const { assertion } of [test, randomTest(seed + 1), test]) {
        const cells = await computeMatrix(segments, everything.outside, assertion, identifyByPlace);
        const get = tryAll({ ...test, assertion }, everything);
        const expected = all.map((sources) =>
          all.map((destinations) =>
            sources.reduce<number>(
              (sum, from) => destinations.reduce<number>((mask, to) => mask | get(from, to), sum),
              0,
            ),
          ),
        );
        expect(cells).toEqual(expected);
        known += expected.flat().filter((answers) => answers > 0).length;
      }
    }
    expect(known).toBeGreaterThan(FABRICS);
  });

  it('refuses to compare the services of more addresses than fit into memory', async () => {
    const results: unknown[] = [];
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { test, places, everything } = buildFabric(seed, RULES);
      const asked = [listSegments(places), everything.outside, test.assertion, identifyByPlace] as const;
      results.push(
        await computeMatrix(...asked, { most: 0 }).then(
          () => 'compared none',
          (error) => error,
        ),
      );
    }
    expect(results.some((result) => result instanceof TooManyServices)).toBe(true);
    expect(results).toContain('compared none');
  });
});
