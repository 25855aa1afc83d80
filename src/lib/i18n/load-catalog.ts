import type { Locale } from './locales';
import type { Catalog } from './translator';

const NONE: Catalog = {};
const LOADERS: Record<Exclude<Locale, 'en'>, () => Promise<{ catalog: Catalog }>> = {
  fr: () => import('./catalogs/fr'),
  de: () => import('./catalogs/de'),
};
const loading = new Map<Locale, Promise<Catalog>>();

/** The texts of a language; one promise for ever, as React's `use` wants it. English needs none. */
export function loadCatalog(locale: Locale): Promise<Catalog> {
  const known = loading.get(locale);
  if (known !== undefined) return known;
  const promise =
    locale === 'en'
      ? Promise.resolve(NONE)
      : LOADERS[locale]().then(
          (module) => module.catalog,
          () => {
            // A chunk that did not arrive: this page speaks English, the next one asks again.
            loading.delete(locale);
            return NONE;
          },
        );
  loading.set(locale, promise);
  return promise;
}
