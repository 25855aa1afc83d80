import type { ReactNode } from 'react';

/** A key. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border bg-surface-2 px-1 font-sans text-sm leading-none text-muted">
      {children}
    </kbd>
  );
}
