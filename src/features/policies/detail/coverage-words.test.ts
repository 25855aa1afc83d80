import { expect, it } from 'vitest';
import type { PolicyCoverage } from '@/domain/coverage';
import { coverageNotice, hitState } from './coverage-words';

const AT = '2026-01-31T12:00:00.000Z';

it('says that a rule was never hit only since when somebody looked', () => {
  expect(hitState({ enabled: true, last_hit_at: AT, never_hit_since: null }).word).toBe('Hit');
  expect(hitState({ enabled: true, last_hit_at: null, never_hit_since: AT })).toMatchObject({
    tone: 'warn',
    since: AT,
  });
  expect(hitState({ enabled: true, last_hit_at: null, never_hit_since: null })).toMatchObject({ tone: 'unknown' });
  expect(hitState({ enabled: false, last_hit_at: null, never_hit_since: null })).toMatchObject({ tone: 'off' });
});

it('names what makes the figures less than all', () => {
  const coverage: PolicyCoverage = {
    policy_id: '01890000-0000-7000-8000-000000000000',
    policy_version: 1,
    enabled: true,
    enforcement_mode: 'enforced',
    days: [],
    guests: { total: 3, looked_at: 3 },
    looked_since: AT,
    counted_until: AT,
    rules: [],
    earlier_rules: null,
  };
  expect(coverageNotice(coverage)).toBeNull();
  expect(coverageNotice({ ...coverage, enforcement_mode: 'audit' })?.tone).toBe('info');
  expect(coverageNotice({ ...coverage, enabled: false })?.title).toBe('The policy is disabled');
  expect(coverageNotice({ ...coverage, guests: { total: 0, looked_at: 0 } })?.title).toBe('The policy has no guest');
  expect(coverageNotice({ ...coverage, guests: { total: 3, looked_at: 0 } })?.agents).toBe(true);
  expect(coverageNotice({ ...coverage, guests: { total: 3, looked_at: 2 } })?.title).toBe('1 guest not looked at');
});
