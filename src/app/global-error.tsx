'use client';
import { PageProblem } from '@/ui/page-problem';
import { UiProvider } from '@/ui/ui-provider';
import './globals.css';

/** When the root layout itself fails; it stands in for the whole document. */
export default function GlobalError(props: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>Error · Fabric</title>
        <UiProvider>
          <main className="flex min-h-dvh flex-col">
            <PageProblem {...props} />
          </main>
        </UiProvider>
      </body>
    </html>
  );
}
