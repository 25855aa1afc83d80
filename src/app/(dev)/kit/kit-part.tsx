import type { ReactNode } from 'react';

/** One component on the kit page, with the states it can be in. */
export function KitPart({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="flex min-w-0 flex-col gap-3 border-t py-5">
      <h2 id={`${id}-title`} className="text-base">
        {title}
      </h2>
      {children}
    </section>
  );
}

export function KitRow({ children }: { children: ReactNode }) {
  return <div className="flex min-w-0 flex-wrap items-center gap-3">{children}</div>;
}
