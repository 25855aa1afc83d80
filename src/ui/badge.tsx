import clsx from 'clsx';
import { CircleHelp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from './status';

const TONES: Record<Tone, string> = {
  neutral: 'border-line bg-surface-2 text-muted',
  ok: 'border-transparent bg-ok-soft text-ok',
  warn: 'border-transparent bg-warn-soft text-warn',
  danger: 'border-transparent bg-danger-soft text-danger',
  info: 'border-transparent bg-info-soft text-info',
  off: 'border-line-strong bg-surface text-faint',
  unknown: 'border-dashed border-line-strong bg-surface text-muted',
};

/** A word for the state of an object. The word carries the meaning, the color only repeats it. */
export function Badge({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      data-tone={tone}
      className={clsx(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-sm border px-1.5 text-sm font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {tone === 'unknown' && !icon ? <CircleHelp size={12} aria-hidden /> : icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
