import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { formatWait, signInProblem } from './sign-in-problem';

test('a wrong password is reported as such, without an API term', () => {
  const { failure, wait } = signInProblem(english, {
    title: 'Not signed in',
    status: 401,
    request_id: 'r1',
    detail: 'x',
  });
  expect(failure.title).toBe('Wrong email address or password');
  expect(failure.request_id).toBe('r1');
  expect(wait).toBeNull();
});

test('a lock keeps the reason of the server and says for how long', () => {
  const { failure, wait } = signInProblem(english, {
    title: 'Too many requests',
    detail: 'This account is locked.',
    status: 429,
    retry_after: 90,
  });
  expect(failure).toMatchObject({ title: 'Too many attempts', detail: 'This account is locked.' });
  expect(wait).toBe(90);
});

test('other failures appear unchanged', () => {
  const failure = { title: 'Cannot reach Fabric', code: 'unreachable' };
  expect(signInProblem(english, failure)).toEqual({ failure, wait: null });
});

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [72, '1:12'],
  [3600, '1:00:00'],
  [3725, '1:02:05'],
])('%i s is %s', (seconds, text) => expect(formatWait(seconds)).toBe(text));
