import { expect, test } from 'vitest';
import { verificationText } from './verification-words';

test('an unbroken trail says how much was checked', () => {
  expect(verificationText({ checked: 1, last: { seq: 1, hash: 'a' }, broken: null })).toEqual({
    tone: 'ok',
    title: 'The trail is unbroken',
    text: '1 record checked.',
  });
});

test('a broken one names the record and what was done to it', () => {
  const { tone, text } = verificationText({ checked: 1233, last: null, broken: { seq: 1234, reason: 'hash' } });
  expect(tone).toBe('danger');
  expect(text).toBe(
    'Record 1,234 does not match its own hash: it was changed. The 1,233 records before it are in order.',
  );
});
