import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../firewall/evaluate';
import { parseIp } from '../net/ip-address';
import { decideTest } from './decide';
import { computeBruteForceResult, randomTest } from './random-test.fixture';
import type { TestEnd } from './test-end';

const TESTS = getRunCount(200, 500);
const NOTHING: TestEnd = { places: [], outside: { 4: [], 6: [] }, missing: [] };

describe('decideTest', () => {
  it('gives the result of trying every packet between every two addresses', () => {
    const seen = { pass: 0, fail: 0, unknown: 0 };
    for (let seed = 1; seed <= TESTS; seed++) {
      const test = randomTest(seed);
      const { result } = decideTest(test.assertion, test.from, test.to);
      expect({ seed, result }).toEqual({ seed, result: computeBruteForceResult(test) });
      seen[result]++;
    }
    // A comparison that never meets one of the results proves nothing about it.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(TESTS / 20);
  });

  it('shows a packet that the deciding firewall treats as it says', () => {
    let shown = 0;
    for (let seed = 1; seed <= TESTS; seed++) {
      const test = randomTest(seed);
      const { result, finding } = decideTest(test.assertion, test.from, test.to);
      if (result !== 'fail') continue;
      const place = finding && (finding.side === 'source' ? finding.source_place : finding.destination_place);
      const guest = place?.kind === 'workload' ? test.guests.get(place.id) : undefined;
      const [source, destination] = [parseIp(finding?.packet.source ?? ''), parseIp(finding?.packet.destination ?? '')];
      if (!finding || !guest || !source || !destination) throw new Error(`no counterexample with seed ${seed}`);
      const { protocol, source_port, destination_port } = finding.packet;
      const ports = { source_port: source_port ?? 0, destination_port: destination_port ?? 0 };
      const direction = finding.side === 'source' ? 'out' : 'in';
      const verdict = evaluate(guest, { direction, source, destination, protocol, ...ports });
      expect(verdict.decided_by).toEqual(finding.decided_by);
      expect(verdict.verdict === 'accept').toBe(test.assertion.expect === 'deny');
      shown++;
    }
    expect(shown).toBeGreaterThan(TESTS / 20);
  });

  it.each(['allow', 'deny'] as const)('leaves %s over an empty end unknown', (desired) => {
    const { to } = randomTest(1);
    const empty = { ...NOTHING, missing: [{ reason: 'nothing_resolved' as const, endpoint: 'sg:empty' }] };
    const decision = decideTest({ expect: desired, protocol: 'tcp', ports: [] }, empty, to);
    expect(decision).toMatchObject({ result: 'unknown', unknown_reason: 'nothing_resolved', finding: null });
  });

  it('leaves a test between addresses of no workload unknown', () => {
    const outside: TestEnd = { ...NOTHING, outside: { 4: [{ first: 1n, last: 9n }], 6: [] } };
    const decision = decideTest({ expect: 'deny', protocol: 'any', ports: [] }, outside, outside);
    expect(decision).toMatchObject({ result: 'unknown', unknown_reason: 'no_pair' });
  });
});
