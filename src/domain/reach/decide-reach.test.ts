import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { boxHas } from '../firewall/space/box';
import { parseIp } from '../net/ip-address';
import { answerAt, randomTest } from '../policy-tests/random-test.fixture';
import type { Answer, TestEnd } from '../policy-tests/test-end';
import { decideReach, type PartEnd, type ReachDecision, type ReachPart } from './decide-reach';
import { identifyByPlace } from './profiles';
import { type PairPacket, tryAllPackets } from './reach-oracle.fixture';

const FABRICS = getRunCount(200, 500);
const NOTHING: TestEnd = { places: [], outside: { 4: [], 6: [] }, missing: [] };

const decide = (seed: number) => {
  const test = randomTest(seed);
  return { test, decision: decideReach(test.from, test.to, test.assertion, identifyByPlace) };
};

const hasEnd = (end: PartEnd, key: string | null, value: bigint) =>
  'outside' in end
    ? key === null && end.outside.spans.some(({ first, last }) => first <= value && value <= last)
    : end.spots.some((spot) => spot.place.key === key && spot.value === value);

/** The parts that say something about a packet. */
const partsWith = ({ parts }: ReachDecision, { source, destination, packet }: PairPacket): ReachPart[] =>
  parts.filter(
    ({ from, to, services }) =>
      hasEnd(from, source, packet.source.value) &&
      hasEnd(to, destination, packet.destination.value) &&
      services.some((set) => {
        const host = { spans: [{ first: 0n, last: 1n << 32n }] };
        return boxHas({ ...set, sources: host, destinations: host }, packet);
      }),
  );

function toAnswer(verdicts: ReadonlySet<Answer>, isMissing: boolean) {
  if (verdicts.has('accept') && verdicts.has('deny')) return 'some';
  if (isMissing || verdicts.has('unknown') || verdicts.size === 0) return 'unknown';
  return verdicts.has('accept') ? 'yes' : 'no';
}

describe('decideReach', () => {
  it('gives every packet of every pair the verdict of trying it, in exactly one part', () => {
    const seen = { yes: 0, no: 0, some: 0, unknown: 0 };
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { test, decision } = decide(seed);
      const verdicts = new Set<Answer>();
      for (const tried of tryAllPackets(test)) {
        verdicts.add(tried.verdict);
        const found = partsWith(decision, tried).map(({ verdict }) => verdict);
        if (found.length !== 1 || found[0] !== tried.verdict) expect({ seed, tried, found }).toEqual(tried.verdict);
      }
      const isMissing = test.from.missing.length + test.to.missing.length > 0;
      expect({ seed, answer: decision.answer }).toEqual({ seed, answer: toAnswer(verdicts, isMissing) });
      seen[decision.answer]++;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(FABRICS / 20);
  });

  it('shows a packet of each part, and what each end does with it', () => {
    let stages = 0;
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { test, decision } = decide(seed);
      for (const { from, to, verdict, witness, stages: shown } of decision.parts) {
        expect(shown.length).toBe(('spots' in from ? 1 : 0) + ('spots' in to ? 1 : 0));
        for (const stage of shown) {
          const direction = stage.at === 'source' ? 'out' : 'in';
          expect(stage.answer).toBe(answerAt(test.guests, stage.place, { ...witness, direction }));
          stages++;
        }
        expect(shown.some(({ answer }) => answer === 'deny')).toBe(verdict === 'deny');
      }
    }
    expect(stages).toBeGreaterThan(FABRICS);
  });

  it('names the first stage that stops a packet, the source before the destination', () => {
    let found = 0;
    for (let seed = 1; seed <= FABRICS; seed++) {
      const { blocked_by, parts } = decide(seed).decision;
      expect(blocked_by !== null).toBe(parts.some(({ verdict }) => verdict === 'deny'));
      if (!blocked_by) continue;
      expect(blocked_by.stage).toBe(blocked_by.part.stages.find(({ answer }) => answer === 'deny'));
      found++;
    }
    expect(found).toBeGreaterThan(FABRICS / 4);
  });

  it('makes no more parts than the limit, and counts the others', () => {
    const { test, decision } = decide(7);
    const limited = decideReach(test.from, test.to, test.assertion, identifyByPlace, 1);
    expect(limited).toMatchObject({ answer: decision.answer, parts_total: decision.parts.length });
    expect(limited.parts).toHaveLength(Math.min(1, decision.parts.length));
  });

  it('leaves a question about an empty end unknown, with what is missing', () => {
    const missing = [{ reason: 'nothing_resolved' as const, endpoint: 'sg:empty' }];
    const service = { protocol: 'tcp' as const, ports: [] };
    const decision = decideReach({ ...NOTHING, missing }, randomTest(1).to, service, identifyByPlace);
    expect(decision).toMatchObject({ answer: 'unknown', reason: missing[0], parts: [], blocked_by: null });
  });

  it('leaves a question between addresses of no workload unknown', () => {
    const one = parseIp('203.0.113.1')?.value ?? 0n;
    const outside: TestEnd = { ...NOTHING, outside: { 4: [{ first: one, last: one + 9n }], 6: [] } };
    const decision = decideReach(outside, outside, { protocol: 'any', ports: [] }, identifyByPlace);
    expect(decision).toMatchObject({ answer: 'unknown', reason: { reason: 'no_pair' }, parts: [] });
  });
});
