import { expect, test } from 'vitest';
import { AuditListInput } from '@/domain/audit';
import { english } from '@/lib/i18n/translator';
import { ACTION_FAMILIES, actionText } from './audit-words';

test.each([
  ['cluster.sync_failed', 'Cluster: sync failed'],
  ['setup', 'Setup'],
  ['auth.login_failed', 'Sign-in failed'],
  ['a.b.c', 'A: b.c'],
])('%s reads %s', (action, text) => expect(actionText(english, action)).toBe(text));

test('the service takes every family as a filter', () => {
  for (const { value } of ACTION_FAMILIES) expect(AuditListInput.parse({ action: value }).action).toBe(value);
});
