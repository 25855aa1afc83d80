export const LOCALES = ['en', 'fr', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

/** What speakers call their language: the same whatever language the page is in. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = { en: 'English', fr: 'Français', de: 'Deutsch' };

/** Holds the language the user chose; without it the browser's own list decides. */
export const LOCALE_COOKIE = 'fabric_locale';

const isLocale = (value: unknown): value is Locale => LOCALES.some((locale) => locale === value);

/** The locale for an `Accept-Language` header (RFC 9110, 12.5.4): the preferred available one, else English. */
function selectPreferredLocale(header: string): Locale {
  const ranges = header.split(',').map((part) => {
    const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
    const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    return { language: range.split('-')[0], weight: weight === undefined ? 1 : Number(weight) };
  });
  // Sorting is stable: of two with equal preference, the one listed first wins.
  const [best] = ranges
    .filter(({ language, weight }) => isLocale(language) && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return isLocale(best?.language) ? best.language : 'en';
}

/** The language of a page. @param cookie value of `LOCALE_COOKIE` @param accept the header `Accept-Language` */
export function chooseLocale(cookie: string | undefined, accept: string | null | undefined): Locale {
  return isLocale(cookie) ? cookie : selectPreferredLocale(accept ?? '');
}

/** The `document.cookie` assignment that keeps the choice for a year, for the whole site. @param protocol of the page (`https:`) */
export function localeCookie(locale: Locale, protocol: string): string {
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${LOCALE_COOKIE}=${locale}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}
