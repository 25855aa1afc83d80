import { expect, it } from 'vitest';
import { CONTEXT_DECISIONS } from '@/domain/flow-context/flow-context';
import { english } from '@/lib/i18n/translator';
import { getContextDecisionLabel } from './context-labels';

it('has a word of its own for every decision, and keeps those of other versions', () => {
  const words = CONTEXT_DECISIONS.map((decision) => getContextDecisionLabel(english, decision).word);
  expect(new Set(words).size).toBe(CONTEXT_DECISIONS.length);
  expect(getContextDecisionLabel(english, 'mirror')).toMatchObject({ word: 'mirror', tone: 'unknown' });
});
