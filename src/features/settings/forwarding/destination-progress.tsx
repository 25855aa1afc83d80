'use client';
import type { ForwardingDestination, ForwardingProgress } from '@/domain/forwarding/destination';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/values';
import { STREAM_LABELS } from './forwarding-columns';

function StreamProgress({ progress, showsError }: { progress: ForwardingProgress; showsError: boolean }) {
  const t = useT();
  const { sent, waiting, lost, is_lost_exact, shortened, last_error } = progress;
  const { last_sent_at, last_lost_at, last_failed_at, next_attempt_at } = progress;
  const title = t(STREAM_LABELS[progress.stream]);
  const lostText = is_lost_exact
    ? t('{count, number}', { count: lost })
    : t('{count, number} counted, more may be lost', { count: lost });
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      {last_error !== null && showsError && <Notice tone="danger">{last_error}</Notice>}
      <Properties
        items={[
          { label: t('Waiting'), value: t('{count, number}', { count: waiting }) },
          {
            label: t('Lost'),
            value: lost > 0 ? <strong>{lostText}</strong> : lostText,
          },
          ...(last_lost_at === null ? [] : [{ label: t('Last loss'), value: <RelativeTime at={last_lost_at} /> }]),
          { label: t('Sent'), value: t('{count, number}', { count: sent }) },
          { label: t('Last sent'), value: last_sent_at === null ? t('Never') : <RelativeTime at={last_sent_at} /> },
          ...(shortened === 0 ? [] : [{ label: t('Shortened'), value: t('{count, number}', { count: shortened }) }]),
          ...(last_error === null || last_failed_at === null
            ? []
            : [
                { label: t('Last failure'), value: <RelativeTime at={last_failed_at} /> },
                { label: t('Next attempt'), value: next_attempt_at && <RelativeTime at={next_attempt_at} /> },
              ]),
        ]}
      />
    </section>
  );
}

/** How far the streams of a destination are, with an error that they share in front of them. */
export function DestinationProgress({ destination }: { destination: ForwardingDestination }) {
  const shown = destination.progress.filter(({ stream }) => destination.streams.includes(stream));
  const [error = null] = shown.map(({ last_error }) => last_error);
  const shared = error !== null && shown.every(({ last_error }) => last_error === error);
  return (
    <>
      {shared && <Notice tone="danger">{error}</Notice>}
      {shown.map((progress) => (
        <StreamProgress key={progress.stream} progress={progress} showsError={!shared} />
      ))}
    </>
  );
}
