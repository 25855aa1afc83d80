'use client';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { useTimeDisplay } from '../time/time-display';
import { loadCatalog } from './load-catalog';
import { type Locale, localeCookie } from './locales';
import { english, makeTranslate, setPageTranslate, type Translate } from './translator';

const Translation = createContext<Translate>(english);

function Loaded({ locale, children }: { locale: Locale; children: ReactNode }) {
  const catalog = use(loadCatalog(locale));
  const t = useMemo(() => makeTranslate(locale, catalog), [locale, catalog]);
  setPageTranslate(t);
  return <TimeAwareTranslation t={t}>{children}</TimeAwareTranslation>;
}

/** Formatting of times has no hook: everything that uses texts renders again when the display of times changes. */
function TimeAwareTranslation({ t, children }: { t: Translate; children: ReactNode }) {
  const { zone, style } = useTimeDisplay();
  const key = `${zone} ${style}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a translator of its own for each display of times.
  const own = useMemo(
    () => Object.assign((...args: Parameters<Translate>) => t(...args), { rich: t.rich, locale: t.locale }),
    [t, key],
  );
  return <Translation value={own}>{children}</Translation>;
}

/** Translates everything below into this language. */
export function TranslationProvider({ locale, children }: { locale: Locale; children: ReactNode }) {
  return locale === 'en' ? (
    <TimeAwareTranslation t={english}>{children}</TimeAwareTranslation>
  ) : (
    <Loaded locale={locale}>{children}</Loaded>
  );
}

/** The translator of the page's language; stable while the language and the display of times are. English outside of a provider. */
export const useT = (): Translate => use(Translation);

/** Keeps the language for later visits and shows the page in it. What is being typed is lost: a menu asks for it, not a form. */
export function changeLocale(locale: Locale): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP, where this may run.
  document.cookie = localeCookie(locale, window.location.protocol);
  window.location.reload();
}
