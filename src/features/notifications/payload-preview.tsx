import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CHANNEL_KINDS } from '@/domain/choices';
import type { ChannelTemplate } from '@/domain/notifications/channel';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Skeleton } from '@/ui/loading';
import { SegmentedControl } from '@/ui/segmented-control';
import { QueryView } from '../shared/query-view';

const EVENTS = [
  { value: 'opened', label: msg('Problem') },
  { value: 'closed', label: msg('Recovery') },
  { value: 'test', label: msg('Test') },
] as const;
type Event = (typeof EVENTS)[number]['value'];

type Props = { kind: (typeof CHANNEL_KINDS)[number]; template: ChannelTemplate; timeZone: string | null };

/** What the channel sends, as the service makes it; read when it is opened. */
export function PayloadPreview({ kind, template, timeZone }: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <section aria-label={t('Preview')} className="flex flex-col gap-2">
      <div>
        <Button size="sm" aria-expanded={open} onClick={() => setOpen((now) => !now)}>
          {open ? t('Hide preview') : t('Show preview')}
        </Button>
      </div>
      {open && <Content kind={kind} template={template} timeZone={timeZone} />}
    </section>
  );
}

/** JSON with lines, to be read; anything else as it is. */
function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Content({ kind, template, timeZone }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const [event, setEvent] = useState<Event>('opened');
  const query = useQuery(
    trpc.notificationChannels.preview.queryOptions({
      kind,
      event,
      ...(kind === 'webhook' && { template }),
      ...(timeZone && { time_zone: timeZone }),
    }),
  );
  return (
    <>
      <SegmentedControl
        label={t('Event')}
        value={event}
        onValueChange={setEvent}
        options={EVENTS.map(({ value, label }) => ({ value, label: t(label) }))}
      />
      <QueryView query={query} skeleton={<Skeleton className="h-40 w-full" />}>
        {({ subject, bodies }) => (
          <div className="flex flex-col gap-2">
            {subject !== null && <p className="font-medium">{subject}</p>}
            {bodies.length > 1 && (
              <p className="text-sm text-muted">{t('{n, number} requests, in this order.', { n: bodies.length })}</p>
            )}
            {bodies.map((body) => (
              <CodeBlock key={body} label={t('Payload')} code={formatBody(body)} wrap />
            ))}
          </div>
        )}
      </QueryView>
    </>
  );
}
