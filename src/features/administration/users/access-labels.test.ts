import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { answerText, reasonText } from './access-labels';

const reason = (
  effect: 'gives' | 'expired' | 'platform_only' | 'tenant_only',
  tenant_name: string | null = null,
  project_name: string | null = null,
) => ({
  assignment_id: 'a',
  role: 'viewer',
  role_title: 'Viewer',
  tenant_id: null,
  tenant_name,
  project_id: null,
  project_name,
  effect,
});

test('reasons', () => {
  expect(reasonText(english, reason('gives'))).toBe('Viewer gives it.');
  expect(reasonText(english, reason('expired', 'Blue'))).toBe('Viewer in Blue would give it, but has expired.');
  expect(reasonText(english, reason('tenant_only', 'Blue', 'shop'))).toBe(
    'Viewer in shop (Blue) has it, but it counts only in a role for the whole tenant.',
  );
});

test('answers', () => {
  expect(answerText(english, { allowed: true, by: [reason('gives'), reason('gives', 'Blue')] })).toBe(
    'Viewer gives it. Viewer in Blue gives it.',
  );
  expect(answerText(english, { allowed: false, lack: 'elsewhere', near: [reason('gives', 'Blue')] })).toBe(
    'Viewer in Blue gives it, but not here.',
  );
  expect(answerText(english, { allowed: false, lack: 'no_role', near: [] })).toBe('No role of this user includes this permission.');
});
