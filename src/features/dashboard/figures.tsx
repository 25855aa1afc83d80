import clsx from 'clsx';
import { formatCount } from '@/lib/format';
import { Link } from '@/ui/link';
import { StatusDot, type Tone } from '@/ui/status';

export type Figure = { id: string; word: string; tone: Tone; count: number; href: string };

/** How many there are of each kind; each leads to the list of these. Kinds of which there is none are left out. */
export function Figures({ label, items }: { label: string; items: readonly Figure[] }) {
  return (
    <ul aria-label={label} className="flex flex-wrap gap-x-4 gap-y-1">
      {items
        .filter(({ count }) => count > 0)
        .map(({ id, word, tone, count, href }) => (
          <li key={id}>
            <Link href={href} className="group inline-flex items-center gap-1.5 rounded-sm">
              <StatusDot tone={tone} />
              <span className="font-semibold tabular-nums">{formatCount(count)}</span>
              <span className="text-muted group-hover:text-text group-hover:underline">{word}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}

export type Share = { id: string; tone: Extract<Tone, 'ok' | 'warn' | 'danger' | 'off' | 'unknown'>; count: number };

const FILLS: Record<Share['tone'], string> = {
  ok: 'bg-ok-mark',
  warn: 'bg-warn-mark',
  danger: 'bg-danger-mark',
  off: 'bg-off-mark',
  // Dashed, as everywhere that the value is unknown.
  unknown: 'border border-dashed border-line-strong',
};

/** Parts of a whole side by side. Only a picture: the figures are next to it as text. */
export function ShareBar({ shares }: { shares: readonly Share[] }) {
  const shown = shares.filter(({ count }) => count > 0);
  if (shown.length === 0) return <span aria-hidden="true" className="block h-2 rounded-full bg-surface-3" />;
  return (
    <span aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-full">
      {shown.map(({ id, tone, count }) => (
        <span key={id} className={clsx('block min-w-1', FILLS[tone])} style={{ flexGrow: count, flexBasis: 0 }} />
      ))}
    </span>
  );
}
