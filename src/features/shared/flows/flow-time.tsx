import { formatDateTime } from '@/lib/format';

/** When a flow was seen, to the second: what happened within a minute is told apart. The date stands with other days. */
export function FlowTime({ at }: { at: string }) {
  const text = formatDateTime(at);
  const today = formatDateTime(new Date().toISOString()).slice(0, 10);
  return (
    <time dateTime={at} title={text} className="tabular-nums">
      {text.startsWith(today) ? text.slice(11, 19) : text.slice(5, 19)}
    </time>
  );
}
