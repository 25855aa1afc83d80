import { expect, test } from 'vitest';
import { DEFAULT_ACTIONS, ENFORCEMENT_MODES, POLICY_DIRECTIONS } from '@/domain/policy/choices';
import { POLICY_TIERS, TENANT_VISIBILITIES } from '@/domain/policy/tier';
import { loadCatalog } from '@/lib/i18n/load-catalog';
import { LOCALES } from '@/lib/i18n/locales';
import { english, makeTranslate } from '@/lib/i18n/translator';
import { valueText } from './version-labels';

/** Every field of a policy that has a closed set of values. */
const CLOSED: Record<string, readonly string[]> = {
  tier: POLICY_TIERS,
  tenant_visibility: TENANT_VISIBILITIES,
  'definition.enforcement_mode': ENFORCEMENT_MODES,
  'definition.direction': POLICY_DIRECTIONS,
  'definition.default_action': DEFAULT_ACTIONS,
};

test.each(LOCALES)('values of fields are said in the words of the form (%s)', async (locale) => {
  const t = makeTranslate(locale, await loadCatalog(locale));
  for (const [field, values] of Object.entries(CLOSED)) {
    const texts = values.map((value) => valueText(t, field, value));
    expect(texts.filter((text) => (values as readonly string[]).includes(text))).toEqual([]);
    expect(new Set(texts).size).toBe(values.length);
    if (locale === 'en') continue;
    // Translated, but for a word that is the same in both languages.
    const untranslated = texts.filter((text, i) => text === valueText(english, field, values[i]));
    expect(untranslated.every((text) => /^[A-Z]\w+$/.test(text))).toBe(true);
  }
});

test('other values are said as they are', () => {
  expect(valueText(english, 'name', 'hidden')).toBe('hidden');
  expect(valueText(english, 'definition.sources', ['sg:web', '10.0.0.0/8'])).toBe('sg:web, 10.0.0.0/8');
  expect(valueText(english, 'enabled', false)).toBe('No');
  expect(valueText(english, 'description', '')).toBe('(empty)');
});
