import { getT, withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';

export const generateMetadata = withTitle(msg('Not found'));

/** For addresses that lead nowhere. */
export default async function NotFound() {
  const t = await getT();
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">{t('Not found')}</h1>
      <EmptyState
        title={t('Page not found')}
        action={
          // Every page loads this one ahead: the router's links would be in it twice.
          <a className={buttonClass()} href={paths.home()}>
            {t('Go to the start page')}
          </a>
        }
      >
        {t('The link may be outdated or mistyped.')}
      </EmptyState>
    </main>
  );
}
