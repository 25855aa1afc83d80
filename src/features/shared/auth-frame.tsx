import type { ReactNode } from 'react';
import { LanguageChoice } from './language-choice';

/** The page around sign-in and setup: one column, the product's name and the languages, nothing else to look at. */
export function AuthFrame({
  brand,
  wide = false,
  children,
}: {
  brand: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-6 sm:py-16">
      <div className={`flex w-full flex-col gap-4 ${wide ? 'max-w-3xl' : 'max-w-sm'}`}>
        <header className="flex items-center justify-between gap-4">
          {brand}
          <LanguageChoice />
        </header>
        <main className="flex min-w-0 flex-col gap-4 rounded-lg border bg-surface p-4 sm:p-6">{children}</main>
      </div>
    </div>
  );
}
