import { LoaderCircle } from 'lucide-react';

/** A turning ring for waits without a known length. Without `label` it is decoration beside a text that says the same. */
export function Spinner({ label, size = 16 }: { label?: string; size?: number }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex shrink-0 items-center">
      <LoaderCircle size={size} className="animate-spin" aria-hidden />
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
