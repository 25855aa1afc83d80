'use client';
import { useQuery } from '@tanstack/react-query';
import type { AssignmentPreview as AssignmentPreviewData } from '@/domain/residual-rules';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPCClient } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { QueryView } from '../shared/query-view';

/** Workloads that are named one by one. */
const NAMED = 10;

function effectText(t: Translate, { rules, switches }: AssignmentPreviewData['workloads'][number]): string {
  if (rules === null) return t('could not be read');
  return switches
    ? t(
        '{rules, plural, one {# rule} other {# rules}}, {switches, plural, one {# firewall switch restored} other {# firewall switches restored}}',
        { rules, switches },
      )
    : t('{n, plural, one {# rule} other {# rules}}', { n: rules });
}

/** What a manual move would remove from the firewalls of workloads, and where the removal has to wait. */
export function AssignmentPreview({
  projectId,
  workloadIds,
}: {
  projectId: string | null;
  workloadIds: readonly string[];
}) {
  const t = useT();
  const client = useTRPCClient();
  const input = { project_id: projectId, workload_ids: [...workloadIds] };
  const query = useQuery({
    queryKey: ['assignment-preview', input],
    queryFn: ({ signal }) => client.projects.previewAssignment.mutate(input, { signal }),
    staleTime: 0,
  });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-10" />}>
      {({ workloads, unreachable }) =>
        workloads.length === 0 ? (
          <p className="text-muted">{t('No rules are removed.')}</p>
        ) : (
          <Notice
            tone="warn"
            title={t(
              'Rules of the former tenant or project are removed from {n, plural, one {# workload} other {# workloads}}',
              {
                n: workloads.length,
              },
            )}
          >
            <ul className="flex flex-col gap-1">
              {workloads.slice(0, NAMED).map((workload) => (
                <li key={workload.workload_id} className="[overflow-wrap:anywhere]">
                  <span className="font-medium">{workload.name}</span>: {effectText(t, workload)}
                </li>
              ))}
            </ul>
            {workloads.length > NAMED && <p className="text-muted">{t('The first {n} are shown.', { n: NAMED })}</p>}
            {unreachable.length > 0 && (
              <p>
                {t('Rules stay until {clusters} can be reached. Removal is retried automatically.', {
                  clusters: unreachable.map(({ cluster_name }) => cluster_name).join(', '),
                })}
              </p>
            )}
          </Notice>
        )
      }
    </QueryView>
  );
}
