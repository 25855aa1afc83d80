import { PageNotFound } from '@/features/shared/page-not-found';
import { getT, titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Not found'));

export default async function NotFound() {
  const t = await getT();
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">{t('Not found')}</h1>
      <PageNotFound />
    </main>
  );
}
