import { describe, expect, it, test } from 'vitest';
import { leftOnNotes } from '@/domain/policy/plan/left-on';
import { EDITS, type Restoration } from '@/domain/policy/plan/restoration';
import type { GuestPreview } from '@/domain/policy-preview';
import { catalog } from '@/lib/i18n/catalogs/de/index';
import { english, makeTranslate } from '@/lib/i18n/translator';
import { guestSummary, hasNoChanges, noteText, optionName, optionValue } from './guest-change-labels';

describe('guest diff summary', () => {
  const rule = {} as GuestPreview['rules'][number];
  const guest = (changes: Partial<NonNullable<GuestPreview['changes']>> | null, options = 0): GuestPreview => ({
    workload_id: 'w',
    vmid: 100,
    name: 'web',
    external_id: 'qemu/100',
    node_name: 'pve1',
    rules: [],
    sets: [],
    changes: changes && ({ added: [], removed: [], kept: [], moved: [], ...changes } as GuestPreview['changes']),
    option_changes: Array.from({ length: options }, () => ({
      kind: 'guest_option' as const,
      name: 'enable',
      before: null,
      after: '1',
    })),
    dormant: [],
    warnings: [],
    fingerprint: null,
    foreign_rules: 0,
    unreadable: [],
    read_at: '2026-11-21T02:00:00.000Z',
  });

  test('an unreadable guest shows as unknown, never as "no change"', () => {
    expect(hasNoChanges(guest(null))).toBe(false);
    expect(guestSummary(english, guest(null))).toMatch(/^Unknown/);
  });

  test('switches alone are a change', () => {
    expect(hasNoChanges(guest({ kept: [rule] }, 1))).toBe(false);
    expect(guestSummary(english, guest({ kept: [rule] }, 1))).toBe('1 kept, 1 setting changed');
  });

  test('nothing to do says how much stays', () => {
    expect(guestSummary(english, guest({ kept: [rule, rule] }))).toBe('No change, 2 kept');
    expect(guestSummary(english, guest({}))).toBe('No change');
  });

  test('shows names and values of switches as text', () => {
    expect(optionName(english, { kind: 'nic_flag', name: 'net1' })).toBe('Firewall flag on net1');
    expect(optionValue(english, { kind: 'guest_option', name: 'enable' }, null)).toBe('off (default)');
    expect(optionValue(english, { kind: 'guest_option', name: 'policy_in' }, 'DROP')).toBe('DROP');
  });
});

describe('note words', () => {
  const german = makeTranslate('de', catalog);

  it('says why a firewall stays on in the language of the page, with everything that was edited', () => {
    const notes = (['baseline_unknown', 'edited_since'] as const).flatMap((reason) =>
      leftOnNotes({ kind: 'left_on', reason, edits: [...EDITS] } satisfies Restoration),
    );
    const texts = notes.map((note) => noteText(german, note));
    expect(texts.map(({ message }) => message)).toEqual([
      'Die Firewall bleibt an, weil ihr Zustand vor der ersten Richtlinie nicht bekannt ist.',
      'Die Firewall bleibt an: Seit der ersten Anwendung einer Richtlinie wurde dort geändert: Regeln, IP-Sets, Aliasse, Firewall-Optionen, Schnittstellen-Flags.',
    ]);
    expect(new Set(texts.map(({ remedy }) => remedy.slice(0, 12)))).toEqual(new Set(['Prüfen Sie d']));
  });
});
