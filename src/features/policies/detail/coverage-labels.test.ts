import { expect, it } from 'vitest';
import type { PolicyCoverage } from '@/domain/coverage';
import { english } from '@/lib/i18n/translator';
import { coverageNotice, hitState } from './coverage-labels';

const AT = '2026-01-31T12:00:00.000Z';

it('reports a rule as never hit only since monitoring began', () => {
  const none = { enabled: true, hits: 0, audit_hits: 0, last_hit_at: null, never_hit_since: null };
  const today = AT.slice(0, 10);
  expect(hitState({ ...none, hits: 1, last_hit_at: AT }, today).word).toBe('Has hits');
  expect(hitState({ ...none, audit_hits: 1, last_hit_at: AT }, today).word).toBe('Has hits');
  expect(hitState({ ...none, last_hit_at: AT }, today).word).toBe('Ongoing');
  expect(hitState({ ...none, last_hit_at: AT }, '2026-02-01').word).toBe('No hits in this period');
  expect(hitState({ ...none, never_hit_since: AT }, today)).toMatchObject({ tone: 'warn', since: AT });
  expect(hitState(none, today)).toMatchObject({ tone: 'unknown' });
  expect(hitState({ ...none, enabled: false }, today)).toMatchObject({ tone: 'off' });
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
    evidence_score: 1,
    counted_until: AT,
    rules: [],
    earlier_rules: null,
  };
  expect(coverageNotice(english, coverage)).toBeNull();
  expect(coverageNotice(english, { ...coverage, enforcement_mode: 'audit' })?.tone).toBe('info');
  expect(coverageNotice(english, { ...coverage, enabled: false })?.title).toBe('The policy is disabled');
  expect(coverageNotice(english, { ...coverage, guests: { total: 0, looked_at: 0 } })?.title).toBe(
    'The policy has no workloads',
  );
  expect(coverageNotice(english, { ...coverage, guests: { total: 3, looked_at: 0 } })?.agents).toBe(true);
  expect(coverageNotice(english, { ...coverage, guests: { total: 3, looked_at: 2 } })?.title).toBe(
    '1 workload not monitored',
  );
});
