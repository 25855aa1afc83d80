import clsx from 'clsx';
import type { ReactNode } from 'react';

/**
 * What a color means. `off` is a known state (stopped, disabled); `unknown` means that the state could not be
 * determined, and never looks like `off`: it is drawn with a dashed line and a question mark.
 */
export type Tone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info' | 'off' | 'unknown';

/** A state in a table cell or list: mark and word. `pulse` for what is happening right now. */
export function Status({ tone, pulse, children }: { tone: Tone; pulse?: boolean; children: ReactNode }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <StatusDot tone={tone} pulse={pulse} />
      <span className={tone === 'unknown' || tone === 'off' ? 'truncate text-muted' : 'truncate'}>{children}</span>
    </span>
  );
}

const FILLS: Record<Exclude<Tone, 'unknown' | 'off'>, string> = {
  neutral: 'fill-faint',
  ok: 'fill-ok-mark',
  warn: 'fill-warn-mark',
  danger: 'fill-danger-mark',
  info: 'fill-info-mark',
};

/**
 * The mark before a state's word. Shape carries the meaning too, for users who do not see the color: full, square
 * (danger), triangle (warn), hollow (off), dashed (unknown).
 */
export function StatusDot({ tone, pulse = false }: { tone: Tone; pulse?: boolean }) {
  return (
    <svg
      viewBox="0 0 10 10"
      data-tone={tone}
      className={clsx('size-2.5 shrink-0', pulse && 'animate-pulse')}
      aria-hidden="true"
    >
      <Shape tone={tone} />
    </svg>
  );
}

function Shape({ tone }: { tone: Tone }) {
  switch (tone) {
    case 'off':
      return <circle cx="5" cy="5" r="3.75" className="fill-none stroke-off-mark" strokeWidth="1.5" />;
    case 'unknown':
      return (
        <circle
          cx="5"
          cy="5"
          r="3.75"
          className="fill-none stroke-muted"
          strokeWidth="1.5"
          strokeDasharray="2.3 1.63"
          strokeLinecap="butt"
        />
      );
    case 'danger':
      return <rect x="1" y="1" width="8" height="8" rx="1.25" className={FILLS.danger} />;
    case 'warn':
      return <path d="M5 .8 9.6 9H.4Z" className={FILLS.warn} strokeLinejoin="round" />;
    case 'neutral':
    case 'ok':
    case 'info':
      return <circle cx="5" cy="5" r="4.25" className={FILLS[tone]} />;
  }
}
