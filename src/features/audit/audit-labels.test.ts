import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AuditListInput } from '@/domain/audit';
import { english } from '@/lib/i18n/translator';
import { ACTION_LABELS } from './action-labels';
import { ACTION_FAMILIES, actionText, OBJECT_KINDS, objectKindText, verificationText } from './audit-labels';

describe('audit words', () => {
  test.each([
    ['cluster.sync_failed', 'Cluster: sync failed'],
    ['setup', 'Setup'],
    ['auth.login_failed', 'Sign-in failed'],
    ['a.b.c', 'A: b.c'],
  ])('%s reads %s', (action, text) => expect(actionText(english, action)).toBe(text));

  test.each([
    ['security_group', 'group'],
    ['ip_address', 'address'],
    ['new_thing', 'new thing'],
  ])('an object of kind %s is a %s', (kind, text) => expect(objectKindText(english, kind)).toBe(text));

  test('the service takes every family as a filter', () => {
    for (const { value } of ACTION_FAMILIES) expect(AuditListInput.parse({ action: value }).action).toBe(value);
  });

  /** What the services write into records under this name, as far as it is a fixed word. */
  function written(name: string): string[] {
    const root = new URL('../../server', import.meta.url).pathname;
    const word = new RegExp(`\\b${name}: '([a-z_.]+)'`, 'g');
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/[.]test[.]|[.]fixture[.]/.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .filter((source) => /\brecordAudit|\baction: '/.test(source))
      .flatMap((source) => [...source.matchAll(word)])
      .map(([, text = '']) => text);
  }

  test('each action that the service records has labels in all languages and a family for the filter', () => {
    const recorded = written('action').filter((action) => action.includes('.'));
    expect(recorded.length).toBeGreaterThan(50);
    expect(recorded.filter((action) => !(action in ACTION_LABELS))).toEqual([]);
    const families = new Set<string>(ACTION_FAMILIES.map(({ value }) => value));
    expect(Object.keys(ACTION_LABELS).filter((action) => !families.has(action.replace(/[.].*/, '.*')))).toEqual([]);
  });

  test('each recorded kind of object can be a filter', () => {
    const recorded = new Set(written('object_kind'));
    expect(recorded.size).toBeGreaterThan(15);
    const kinds = new Set<string>(OBJECT_KINDS.map(({ value }) => value));
    expect([...recorded].filter((kind) => !kinds.has(kind))).toEqual([]);
  });
});

describe('verification words', () => {
  test('an unbroken trail says how much was checked', () => {
    expect(verificationText(english, { checked: 1, pruned: null, broken: null })).toEqual({
      tone: 'ok',
      title: 'Audit trail intact',
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
    expect(text).toBe('Record 1,234 does not match its own hash: it was changed. The 1,233 earlier records are valid.');
  });

  test('reports which records were removed at the end of their retention', () => {
    const { text } = verificationText(english, {
      checked: 7,
      pruned: { seq: 1200, at: '2026-05-01T10:00:00.000Z' },
      broken: null,
    });
    expect(text).toMatch(/^7 records checked\. Records up to 1,200 were removed on 2026-05-01 /);
  });
});
