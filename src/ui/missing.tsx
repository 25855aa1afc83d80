import { NO_VALUE } from '@/lib/format';

/** In place of a value that does not exist. For a value that could not be read use a badge or status `unknown`. */
export function Missing({ label = 'None' }: { label?: string }) {
  return (
    <span className="text-faint">
      <span aria-hidden>{NO_VALUE}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
