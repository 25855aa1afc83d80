import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratePosture } from '@/domain/dashboard/security-posture';
import { english } from '@/lib/i18n/translator';
import { suspiciousText } from './dashboard-labels';
import { describeEmptySuspicious, describeEmptyTraffic, evaluateMonitoring, type Monitored } from './monitoring';

/** Workloads whose agents reported in the whole range, in none of it (silent now or not there), or in part of it. */
const seen = (watched: number, silent: number, unwatched: number, { partly = 0, unknown = 0 } = {}) => ({
  monitoring: {
    running: watched + silent + unwatched + partly + unknown,
    ...{ watched, partly, unwatched: silent + unwatched, unknown },
  },
  security_posture: ratePosture({
    enforcement: { default_deny: 1, rules_default_accept: 0, no_rules: 0, off: 0, unknown: 0, without_interface: 0 },
    policies: null,
    suspicious: { critical: 0, high: 0 },
    agents: { watched, silent, unwatched },
  }),
});
const at = (monitored: Monitored, suspicious_since = '2026-01-01T00:00:00.000Z') => ({
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-01T01:00:00.000Z',
  suspicious_since,
  ...monitored,
});

describe('an empty list of suspicious traffic', () => {
  it.each([
    ['every workload is monitored', seen(3, 0, 0), 'No suspicious traffic', true],
    ['some are', seen(2, 0, 1), 'No suspicious traffic seen', false],
    ['the agents are stale', seen(0, 2, 1), 'Unknown', false],
    ['no agent reports', seen(0, 0, 3), 'Not monitored', false],
    ['nothing runs', seen(0, 0, 0), 'Not monitored', false],
    ['all report now, and did in part of the range', seen(0, 0, 0, { partly: 3 }), 'No suspicious traffic seen', false],
    ['nothing tells what reported then', seen(0, 0, 0, { unknown: 3 }), 'Unknown', false],
  ])('has the right title and tone when %s', (_, monitored, title, good) => {
    expect(describeEmptySuspicious(at(monitored))).toMatchObject({ title, good });
  });

  it('shows expired when the time range is past its retention, and no good news when a part of it is', () => {
    expect(describeEmptySuspicious(at(seen(3, 0, 0), '2026-01-02T00:00:00.000Z'))).toMatchObject({ title: 'Expired' });
    expect(describeEmptySuspicious(at(seen(3, 0, 0), '2026-01-01T00:30:00.000Z')).good).toBe(false);
  });

  it('shows good news only when every running workload is monitored', () => {
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.nat(3),
        fc.nat(3),
        fc.nat(3),
        fc.nat(3),
        (watched, silent, unwatched, partly, unknown) => {
          const monitored = seen(watched, silent, unwatched, { partly, unknown });
          const all = watched > 0 && silent + unwatched + partly + unknown === 0;
          expect(describeEmptySuspicious(at(monitored)).good).toBe(all);
          expect(evaluateMonitoring(monitored) === 'full').toBe(all);
        },
      ),
    );
  });
});

it('says what no traffic means', () => {
  expect(describeEmptyTraffic(undefined)).toBeNull();
  expect(describeEmptyTraffic(seen(0, 0, 2))?.title).toBe('Not monitored');
  expect(describeEmptyTraffic(seen(1, 0, 0))?.title).toBe('No workload traffic');
});

it('reports suspicious traffic that no agent could see as not monitored', () => {
  expect(suspiciousText(english, seen(0, 0, 2))).toBe('Not monitored');
  expect(suspiciousText(english, seen(0, 2, 0))).toBe('Unknown: agents are stale');
  expect(suspiciousText(english, seen(2, 0, 1))).toBe('No critical or high findings seen');
  expect(suspiciousText(english, seen(2, 0, 0))).toBe('No critical or high findings');
});
