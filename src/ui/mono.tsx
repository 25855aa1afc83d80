import clsx from 'clsx';
import type { ReactNode } from 'react';

/** An address, identifier or figure that is compared by eye: monospace, zero with a slash. `wrap` for long ones outside tables. */
export function Mono({
  children,
  wrap = false,
  className,
}: {
  children: ReactNode;
  wrap?: boolean;
  className?: string;
}) {
  return <span className={clsx('mono', wrap && '[overflow-wrap:anywhere]', className)}>{children}</span>;
}
