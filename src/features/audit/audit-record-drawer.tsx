'use client';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatDateTime } from '@/lib/format';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { loadLater } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Mono, RelativeTime } from '@/ui/values';
import type { AuditRow } from './audit-columns';
import { ACTOR_KIND_LABELS, actionText, objectKindText } from './audit-labels';

/** Labels of all fields: loaded when a record is opened. */
const ChangeView = loadLater(() => import('./change-view').then((module) => module.ChangeView));

export type AuditFilter = { actor_id: string } | { object_kind: string; object_id: string };

type Props = {
  recordId: string | null;
  onClose: () => void;
  /** Narrows the list to what this record's actor or object did. */
  onFilter: (filter: AuditFilter) => void;
};

/** One record: who, what, from where, what changed, and its place in the chain. */
export function AuditRecordDrawer({ recordId, onClose, onFilter }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.audit.get.queryOptions({ id: recordId ?? '' }),
    enabled: recordId !== null,
    // Records never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const record = recordId === null ? undefined : query.data;
  return (
    <Drawer
      open={recordId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={record ? actionText(t, record.action) : t('Audit record')}
      description={record?.object_name ?? undefined}
    >
      {record ? (
        <Content record={record} onFilter={onFilter} />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}

function Content({ record, onFilter }: { record: AuditRow; onFilter: Props['onFilter'] }) {
  const t = useT();
  const { actor_id, object_id, object_kind } = record;
  return (
    <div className="flex flex-col gap-6">
      <Properties
        items={[
          {
            label: t('Time'),
            value: (
              <>
                {formatDateTime(record.at)} (<RelativeTime at={record.at} />)
              </>
            ),
          },
          { label: t('By'), value: `${record.actor_name} (${lowerLabel(t, t(ACTOR_KIND_LABELS[record.actor_kind]))})` },
          { label: t('From'), value: record.source_address && <Mono>{record.source_address}</Mono> },
          { label: t('Action'), value: <Mono>{record.action}</Mono> },
          {
            label: t('Object'),
            value: (
              <>
                {record.object_name} <span className="text-muted">{objectKindText(t, object_kind)}</span>
                {object_id && (
                  <div>
                    <Mono wrap>{object_id}</Mono>
                  </div>
                )}
              </>
            ),
          },
          { label: t('Request'), value: record.request_id && <Mono wrap>{record.request_id}</Mono> },
        ]}
      />
      {(actor_id || object_id) && (
        <div className="flex flex-wrap gap-2">
          {object_id && (
            <Button size="sm" onClick={() => onFilter({ object_kind, object_id })}>
              {t('All records for this object')}
            </Button>
          )}
          {actor_id && (
            <Button size="sm" onClick={() => onFilter({ actor_id })}>
              {t('All records by {actor}', { actor: record.actor_name })}
            </Button>
          )}
        </div>
      )}
      <Section title={t('What changed')} bare>
        <ChangeView before={record.before} after={record.after} />
      </Section>
      {record.seq !== null && (
        <Section
          title={t('Position in the trail')}
          description={t(
            'Each record contains the hash of the previous record, so later changes or removals are detected.',
          )}
          bare
        >
          <Properties
            items={[
              { label: t('Record number'), value: formatCount(record.seq) },
              { label: t('Hash'), value: <Mono wrap>{record.hash}</Mono> },
              { label: t('Previous hash'), value: <Mono wrap>{record.previous_hash}</Mono> },
            ]}
          />
        </Section>
      )}
    </div>
  );
}
