import { LoaderCircle } from 'lucide-react';

/** A gray bar in place of text that is loading. `className` gives its size. */
export function Skeleton({ className = 'h-3 w-32' }: { className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-sm bg-surface-3 ${className}`} />;
}

/** A turning ring for waits without a known length. Without `label` it is decoration beside a text that says the same. */
export function Spinner({ label, size = 16 }: { label?: string; size?: number }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex shrink-0 items-center">
      <LoaderCircle size={size} className="animate-spin" aria-hidden />
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}

/** A thin moving line at the top edge of its (relative) box: something is on its way and what is shown stays usable. */
export function ProgressLine() {
  return (
    <span aria-hidden="true" className="absolute inset-x-0 top-0 z-3 h-0.5 overflow-hidden">
      <span className="block h-full w-1/3 animate-indeterminate bg-accent" />
    </span>
  );
}
