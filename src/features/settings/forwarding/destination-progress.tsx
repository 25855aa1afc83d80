'use client';
import type { ForwardingDestination, ForwardingProgress } from '@/domain/forwarding/destination';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/values';
import { STREAM_LABELS } from './forwarding-columns';

function StreamProgress({ progress }: { progress: ForwardingProgress }) {
  const t = useT();
  const { sent, waiting, lost, is_lost_exact, shortened, last_error } = progress;
  const { last_sent_at, last_lost_at, last_failed_at, next_attempt_at } = progress;
  const title = t(STREAM_LABELS[progress.stream]);
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      {last_error !== null && <Notice tone="danger">{last_error}</Notice>}
      <Properties
        items={[
          { label: t('Sent'), value: t('{count, number}', { count: sent }) },
          { label: t('Last sent'), value: last_sent_at && <RelativeTime at={last_sent_at} /> },
          { label: t('Waiting'), value: t('{count, number}', { count: waiting }) },
          {
            label: t('Lost'),
            value: is_lost_exact
              ? t('{count, number}', { count: lost })
              : t('{count, number} counted, more may be lost', { count: lost }),
          },
          ...(last_lost_at === null ? [] : [{ label: t('Last loss'), value: <RelativeTime at={last_lost_at} /> }]),
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

/** How far the streams of a destination are. */
export function DestinationProgress({ destination }: { destination: ForwardingDestination }) {
  return destination.progress
    .filter(({ stream }) => destination.streams.includes(stream))
    .map((progress) => <StreamProgress key={progress.stream} progress={progress} />);
}
