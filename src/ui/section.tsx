import type { ReactNode } from 'react';

type Props = {
  /** For links to this part of the page. */
  id?: string;
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without the frame and its padding, for tables and other boxes that bring their own. */
  bare?: boolean;
  children: ReactNode;
};

/** A part of a page under its own heading, in a frame. */
export function Section({ id, title, description, actions, bare = false, children }: Props) {
  return (
    <section id={id} className="flex min-w-0 scroll-mt-4 flex-col gap-2">
      {(title || actions) && (
        <div className="flex flex-wrap items-end justify-between gap-2">
          <div className="min-w-0">
            {title && <h2 className="text-base">{title}</h2>}
            {description && <p className="text-pretty text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {bare ? children : <div className="min-w-0 rounded-lg border bg-surface p-4">{children}</div>}
    </section>
  );
}
