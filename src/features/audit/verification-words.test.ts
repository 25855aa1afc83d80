import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { verificationText } from './verification-words';

test('an unbroken trail says how much was checked', () => {
  expect(verificationText(english, { checked: 1, pruned: null, broken: null })).toEqual({
    tone: 'ok',
    title: 'The trail is unbroken',
    text: '1 record checked.',
  });
});

test('a broken one names the record and what was done to it', () => {
  const { tone, text } = verificationText(english, {
    checked: 1233,
    pruned: null,
    broken: { seq: 1234, reason: 'hash' },
  });
  expect(tone).toBe('danger');
  expect(text).toBe(
    'Record 1,234 does not match its own hash: it was changed. The 1,233 records before it are in order.',
  );
});

test('what was removed because its time was up is told', () => {
  const { text } = verificationText(english, {
    checked: 7,
    pruned: { seq: 1200, at: '2026-05-01T10:00:00.000Z' },
    broken: null,
  });
  expect(text).toMatch(/^7 records checked\. Those up to record 1,200 were removed on 2026-05-01 /);
});
