import { expect, it } from 'vitest';
import { CONTEXT_DECISIONS } from '@/domain/flow-context/flow-context';
import type { InsightAudit } from '@/domain/insights';
import { english } from '@/lib/i18n/translator';
import { decisionWord, wouldChange } from './context-words';

const audit = (verdict: InsightAudit['verdict']): InsightAudit => ({
  policy_id: '01890000-0000-7000-8000-000000000000',
  policy_name: 'policy',
  verdict,
  by: 'rule',
  rule_position: 0,
  rule_hash: '00000000',
});

it('has a word of its own for every decision, and keeps those of other versions', () => {
  const words = CONTEXT_DECISIONS.map((decision) => decisionWord(english, decision).word);
  expect(new Set(words).size).toBe(CONTEXT_DECISIONS.length);
  expect(decisionWord(english, 'mirror')).toMatchObject({ word: 'mirror', tone: 'unknown' });
});

it('names an audited policy only when it would change something, the first first', () => {
  expect(wouldChange({ verdict: 'accept', audit: [] })).toBeNull();
  expect(wouldChange({ verdict: 'accept', audit: [audit('accept'), audit('drop')] })).toBeNull();
  expect(wouldChange({ verdict: 'accept', audit: [audit('drop'), audit('accept')] })?.verdict).toBe('drop');
  expect(wouldChange({ verdict: 'unknown', audit: [audit('accept')] })?.verdict).toBe('accept');
});
