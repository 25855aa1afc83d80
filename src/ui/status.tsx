import type { ReactNode } from 'react';
import { StatusDot } from './status-dot';
import type { Tone } from './tone';

/** A state in a table cell or list: mark and word. `pulse` for what is happening right now. */
export function Status({ tone, pulse, children }: { tone: Tone; pulse?: boolean; children: ReactNode }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <StatusDot tone={tone} pulse={pulse} />
      <span className={tone === 'unknown' || tone === 'off' ? 'truncate text-muted' : 'truncate'}>{children}</span>
    </span>
  );
}
