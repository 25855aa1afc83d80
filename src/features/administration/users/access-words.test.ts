import { expect, test } from 'vitest';
import { answerText, reasonText } from './access-words';

const reason = (effect: 'gives' | 'expired' | 'platform_only', tenant_name: string | null = null) => ({
  assignment_id: 'a',
  role: 'viewer',
  role_title: 'Viewer',
  tenant_id: null,
  tenant_name,
  effect,
});

test('reasons', () => {
  expect(reasonText(reason('gives'))).toBe('Viewer gives it.');
  expect(reasonText(reason('expired', 'Blue'))).toBe('Viewer in Blue would give it, but has expired.');
});

test('answers', () => {
  expect(answerText({ allowed: true, by: [reason('gives'), reason('gives', 'Blue')] })).toBe(
    'Viewer gives it. Viewer in Blue gives it.',
  );
  expect(answerText({ allowed: false, lack: 'elsewhere', near: [reason('gives', 'Blue')] })).toBe(
    'Viewer in Blue gives it, but not here.',
  );
  expect(answerText({ allowed: false, lack: 'no_role', near: [] })).toBe('No role of this user has it.');
});
