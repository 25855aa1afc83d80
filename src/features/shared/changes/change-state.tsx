'use client';
import type { ChangeSummary } from '@/domain/change/change';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { useCountdown } from '../use-timers';
import { isWorking, STATE_LABELS } from './change-labels';

/** The state of a change. */
export function ChangeStateView({ state }: Pick<ChangeSummary, 'state'>) {
  const t = useT();
  const { tone, word } = STATE_LABELS[state];
  return (
    <Status tone={tone} pulse={isWorking(state)}>
      {t(word)}
    </Status>
  );
}

export function ChangeLink({ id, title }: Pick<ChangeSummary, 'id' | 'title'>) {
  return (
    <Link className="link" href={paths.change({ changeId: id })}>
      {title}
    </Link>
  );
}

const pad = (n: number) => String(n).padStart(2, '0');

/** Minutes and seconds until a time: `9:05`, or `1:02:03`. Zero once it has passed. */
export function formatLeft(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** The time left until a change is rolled back unless it is confirmed. */
export function ConfirmCountdown({ until }: { until: string }) {
  const left = useCountdown(Date.parse(until));
  return (
    <span role="timer" className="font-semibold tabular-nums">
      {formatLeft(left)}
    </span>
  );
}
