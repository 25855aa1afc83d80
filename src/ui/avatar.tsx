import { initialsOf } from './initials-of';

/** The initials of a person; decoration beside the name. */
export function Avatar({ name, email }: { name: string; email: string }) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex size-6 shrink-0 select-none items-center justify-center rounded-full bg-surface-3 text-sm font-semibold text-muted"
    >
      {initialsOf(name, email)}
    </span>
  );
}
