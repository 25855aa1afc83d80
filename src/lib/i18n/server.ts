import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { loadCatalog } from './load-catalog';
import { chooseLocale, LOCALE_COOKIE, type Locale } from './locales';
import { makeTranslate, type Translate } from './translator';

/** The language of the page that is being rendered: what was chosen, or what the browser asks for. */
export async function readLocale(): Promise<Locale> {
  const [jar, sent] = await Promise.all([cookies(), headers()]);
  return chooseLocale(jar.get(LOCALE_COOKIE)?.value, sent.get('accept-language'));
}

/** The translator of the page that is being rendered, for what is not a client component. */
export async function getT(): Promise<Translate> {
  const locale = await readLocale();
  return makeTranslate(locale, await loadCatalog(locale));
}

/** `generateMetadata` of a page that has this title: `export const generateMetadata = titled(msg('Policies'))`. */
export function withTitle(title: string): () => Promise<Metadata> {
  return async () => ({ title: (await getT())(title) });
}
