import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratePosture, type SecurityPosture } from '@/domain/dashboard/security-posture';
import { english } from '@/lib/i18n/translator';
import { monitoringOf, suspiciousEmpty, trafficEmpty } from './monitoring';
import { suspiciousText } from './posture-words';

const posture = (watched: number, silent: number, unwatched: number): SecurityPosture =>
  ratePosture({
    enforcement: { default_deny: 1, rules_default_accept: 0, no_rules: 0, off: 0, unknown: 0, without_interface: 0 },
    policies: null,
    suspicious: { critical: 0, high: 0 },
    agents: { watched, silent, unwatched },
  });
const at = (security_posture: SecurityPosture, suspicious_since = '2026-01-01T00:00:00.000Z') => ({
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-01T01:00:00.000Z',
  suspicious_since,
  security_posture,
});

describe('an empty list of suspicious traffic', () => {
  it.each([
    ['every workload is monitored', posture(3, 0, 0), 'Nothing suspicious', true],
    ['some are', posture(2, 0, 1), 'Nothing suspicious seen', false],
    ['the agents are silent', posture(0, 2, 1), 'Unknown', false],
    ['no agent reports', posture(0, 0, 3), 'Not monitored', false],
    ['nothing runs', posture(0, 0, 0), 'Not monitored', false],
  ])('when %s', (_, security_posture, title, good) => {
    expect(suspiciousEmpty(at(security_posture))).toMatchObject({ title, good });
  });

  it('is expired when the time range is past its retention, and no good news when part of it is', () => {
    expect(suspiciousEmpty(at(posture(3, 0, 0), '2026-01-02T00:00:00.000Z'))).toMatchObject({ title: 'Expired' });
    expect(suspiciousEmpty(at(posture(3, 0, 0), '2026-01-01T00:30:00.000Z')).good).toBe(false);
  });

  it('is good news only when every running workload is monitored', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(3), fc.nat(3), (watched, silent, unwatched) => {
        const security_posture = posture(watched, silent, unwatched);
        const all = watched > 0 && silent + unwatched === 0;
        expect(suspiciousEmpty(at(security_posture)).good).toBe(all);
        expect(monitoringOf(security_posture.agents) === 'full').toBe(all);
      }),
    );
  });
});

it('says what no traffic means', () => {
  expect(trafficEmpty(undefined)).toBeNull();
  expect(trafficEmpty(posture(0, 0, 2).agents)?.title).toBe('Not monitored');
  expect(trafficEmpty(posture(1, 0, 0).agents)?.title).toBe('No traffic of workloads');
});

it('rates suspicious traffic that nobody could see as not monitored', () => {
  expect(suspiciousText(english, posture(0, 0, 2))).toBe('Not monitored');
  expect(suspiciousText(english, posture(0, 2, 0))).toBe('Unknown: the agents are silent');
  expect(suspiciousText(english, posture(2, 0, 1))).toBe('Nothing critical or high seen');
  expect(suspiciousText(english, posture(2, 0, 0))).toBe('Nothing critical or high');
});
