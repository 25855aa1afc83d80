'use client';
import { LOCALE_NAMES, LOCALES } from '@/lib/i18n/locales';
import { changeLocale, useT } from '@/lib/i18n/use-t';

/** The languages side by side, for pages that have no account menu yet. */
export function LanguageChoice() {
  const t = useT();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what a form sends.
    <div role="group" aria-label={t('Language')} className="-mr-1.5 flex text-sm">
      {LOCALES.map((locale) => (
        <button
          key={locale}
          type="button"
          lang={locale}
          aria-pressed={locale === t.locale}
          onClick={() => locale !== t.locale && changeLocale(locale)}
          className="rounded-sm px-1.5 py-1 text-muted hover:text-text aria-pressed:font-medium aria-pressed:text-text"
        >
          {LOCALE_NAMES[locale]}
        </button>
      ))}
    </div>
  );
}
