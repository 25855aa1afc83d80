import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AuditListInput } from '@/domain/audit';
import { english } from '@/lib/i18n/translator';
import { ACTION_WORDS } from './action-words';
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

test('every action that the service records under a fixed name has words in all languages', () => {
  const root = new URL('../../server/services', import.meta.url).pathname;
  const recorded = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .flatMap((name) => [...readFileSync(join(root, name), 'utf8').matchAll(/\baction: '([a-z_]+[.][a-z_]+)'/g)])
    .map(([, action = '']) => action);
  expect(recorded.length).toBeGreaterThan(50);
  expect(recorded.filter((action) => !(action in ACTION_WORDS))).toEqual([]);
});
