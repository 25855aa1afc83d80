import { expect, it } from 'vitest';
import { ratePosture } from '@/domain/dashboard/security-posture';
import { english } from '@/lib/i18n/translator';
import { agentsText, enforcementText, policiesText, suspiciousText } from './dashboard-labels';

const UNKNOWN_ID = { running: 0, watched: 0, partly: 0, unwatched: 0, unknown: 0 };

it('says what the posture is made of', () => {
  const posture = ratePosture({
    enforcement: {
      default_deny: 1_200,
      rules_default_accept: 2,
      no_rules: 1,
      off: 3,
      unknown: 1,
      without_interface: 0,
    },
    policies: { active: 4, stale: 1, partial: 0, unresolved: 2 },
    suspicious: { critical: 0, high: 12 },
    agents: { watched: 9, silent: 0, unwatched: 2 },
  });
  const { enforcement, policies, agents } = posture;
  expect(enforcementText(english, enforcement)).toBe(
    '1,200 deny by default, 2 accept by default, 1 without rules, 3 off, 1 unknown',
  );
  expect(policies && policiesText(english, policies)).toBe('2 unresolved, 1 drifted of 7 applied');
  expect(
    suspiciousText(english, { security_posture: posture, monitoring: { ...UNKNOWN_ID, running: 11, watched: 11 } }),
  ).toBe('12 high');
  expect(agentsText(english, agents)).toBe('9 of 11 workloads, 2 on nodes without an agent');
});

it('says when there is nothing to say', () => {
  const posture = ratePosture({
    enforcement: { default_deny: 0, rules_default_accept: 0, no_rules: 0, off: 0, unknown: 0, without_interface: 0 },
    policies: { active: 0, stale: 0, partial: 0, unresolved: 0 },
    suspicious: { critical: 0, high: 0 },
    agents: { watched: 0, silent: 0, unwatched: 0 },
  });
  const { enforcement, policies, agents } = posture;
  expect(enforcementText(english, enforcement)).toBe('No running workloads.');
  expect(policies && policiesText(english, policies)).toBe('None enforced');
  expect(suspiciousText(english, { security_posture: posture, monitoring: UNKNOWN_ID })).toBe('No running workloads.');
  expect(agentsText(english, agents)).toBe('No running workloads.');
});
