import clsx from 'clsx';
import type { Tone } from '@/ui/status';

export type Share = { id: string; tone: Extract<Tone, 'ok' | 'warn' | 'danger' | 'off' | 'unknown'>; count: number };

const FILLS: Record<Share['tone'], string> = {
  ok: 'bg-ok-mark',
  warn: 'bg-warn-mark',
  danger: 'bg-danger-mark',
  off: 'bg-off-mark',
  // Dashed, as everywhere that nobody could tell.
  unknown: 'border border-dashed border-line-strong',
};

/** Parts of a whole side by side. Only a picture: the figures stand beside it as text. */
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
