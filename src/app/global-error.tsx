'use client';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { buttonClass } from '@/ui/button-class';
import './globals.css';

/**
 * When what surrounds the pages fails; it replaces the whole document. Every page loads it ahead, so that it needs no code when code
 * cannot be loaded, and it is made of nothing but text and a button.
 */
export default function GlobalError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  const t = useT();
  const { title, detail } = toFailure(error);
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>{`${t('Error')} · Fabric`}</title>
        <main className="flex min-h-dvh items-center justify-center">
          <div role="alert" className="flex max-w-md flex-col items-center gap-3 px-4 py-10 text-center">
            <h1 className="font-semibold">{title}</h1>
            <p className="text-pretty text-muted">{detail}</p>
            <button type="button" className={buttonClass()} onClick={retry}>
              {t('Try again')}
            </button>
            {error.digest && <p className="mono text-sm text-faint">{error.digest}</p>}
          </div>
        </main>
      </body>
    </html>
  );
}
