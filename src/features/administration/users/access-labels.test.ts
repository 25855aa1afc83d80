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
  expect(reasonText(english, reason('gives'))).toBe('Viewer grants this permission.');
  expect(reasonText(english, reason('expired', 'Blue'))).toBe(
    'Viewer in Blue would grant this permission, but the assignment has expired.',
  );
  expect(reasonText(english, reason('tenant_only', 'Blue', 'shop'))).toBe(
    'Viewer in shop (Blue) includes this permission, but it applies only in a role for the whole tenant.',
  );
});

test('answers', () => {
  expect(answerText(english, { allowed: true, by: [reason('gives'), reason('gives', 'Blue')] })).toBe(
    'Viewer grants this permission. Viewer in Blue grants this permission.',
  );
  expect(answerText(english, { allowed: false, lack: 'elsewhere', near: [reason('gives', 'Blue')] })).toBe(
    'Viewer in Blue grants this permission, but not here.',
  );
  expect(answerText(english, { allowed: false, lack: 'no_role', near: [] })).toBe(
    'No role of this user includes this permission.',
  );
});
