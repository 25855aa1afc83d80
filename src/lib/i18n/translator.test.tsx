import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { chooseLocale } from './locales';
import { english, makeTranslate } from './translator';

const german = makeTranslate('de', {
  'Add address': 'Adresse hinzufügen',
  '{n, plural, one {# address} other {# addresses}}': '{n, plural, one {# Adresse} other {# Adressen}}',
  'Delete <b>{name}</b>?': '<b>{name}</b> löschen?',
});

describe('a translator', () => {
  it('says texts, counts and elements in its language, and in English what it does not know', () => {
    expect(german('Add address')).toBe('Adresse hinzufügen');
    expect(german("It's not known {here}")).toBe("It's not known {here}");
    expect([1, 1200].map((n) => german('{n, plural, one {# address} other {# addresses}}', { n }))).toEqual([
      '1 Adresse',
      '1.200 Adressen',
    ]);
    expect(english('{n, plural, one {# address} other {# addresses}}', { n: 1200 })).toBe('1,200 addresses');
    const question = german.rich('Delete <b>{name}</b>?', { name: 'a < b', b: (inside) => <b>{inside}</b> });
    expect(renderToStaticMarkup(question)).toBe('<b>a &lt; b</b> löschen?');
    expect(renderToStaticMarkup(german.rich('{link} is new', { link: <a href="/x">x</a> }))).toBe(
      '<a href="/x">x</a> is new',
    );
  });

  it('does not read tags in texts without elements', () => {
    expect(english('{n} < 5 <b>', { n: 3 })).toBe('3 < 5 <b>');
  });
});

describe('the language of a page', () => {
  it.each([
    ['fr', 'de', 'fr'],
    ['xx', 'de-CH, fr;q=0.9', 'de'],
    [undefined, 'es, fr;q=0.3, de;q=0.4, en;q=0.1', 'de'],
    [undefined, 'fr;q=0, *', 'en'],
    [undefined, null, 'en'],
    ['', 'EN-us,de', 'en'],
  ])('resolves the cookie %s and the accepted languages %s to %s', (cookie, header, locale) => {
    expect(chooseLocale(cookie, header)).toBe(locale);
  });
});
