'use client';
import { PageCrash } from '@/features/shared/page-crash';
import { useT } from '@/lib/i18n/use-t';
import { UiProvider } from '@/ui/ui-provider';
import './globals.css';

/** When the root layout itself fails; it replaces the whole document. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  const t = useT();
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>{`${t('Error')} · Fabric`}</title>
        <UiProvider>
          <main className="flex min-h-dvh items-center justify-center">
            <PageCrash error={error} onRetry={retry} />
          </main>
        </UiProvider>
      </body>
    </html>
  );
}
