import type { ReactNode } from 'react';

/** The page around sign-in and setup: one column, the product's name, nothing else to look at. */
export function AuthFrame({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-8 sm:py-16">
      <div className={`flex w-full flex-col gap-6 ${wide ? 'max-w-2xl' : 'max-w-sm'}`}>
        <p className="text-base font-semibold tracking-tight text-muted">Fabric</p>
        <main className="flex flex-col gap-4 rounded-lg border bg-surface p-4 sm:p-6">{children}</main>
      </div>
    </div>
  );
}
