/** A grey bar in place of text that is on its way. `className` gives its size. */
export function Skeleton({ className = 'h-3 w-32' }: { className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-sm bg-surface-3 ${className}`} />;
}
