import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { RelativeTime } from '@/ui/values';
import { packetText } from '../shared/policy-tests/test-labels';
import { QueryView } from '../shared/query-view';

const SHOWN = 5;

/** Policy tests that fail, the newest first, each with the packet that shows it. */
export function TestsPanel({ tenantId }: { tenantId: string | null }) {
  const t = useT();
  const trpc = useTRPC();
  const within = tenantId ? { tenant_id: tenantId } : {};
  const failing = useQuery(
    trpc.policyTests.list.queryOptions({ ...within, result: 'fail', sort: '-failing_since', limit: SHOWN }),
  );
  const all = useQuery(trpc.policyTests.list.queryOptions({ ...within, limit: 1 }));
  return (
    <QueryView query={failing} skeleton={<Skeleton className="h-24 w-full" />}>
      {({ items, total }) => (
        <div className="flex flex-1 flex-col rounded-lg border bg-surface">
          {items.length === 0 ? (
            <EmptyState
              icon={<FlaskConical />}
              title={all.data?.total === 0 ? t('No policy tests yet') : t('No failing policy tests')}
            >
              {all.data?.total === 0
                ? t('A policy test states what must be allowed or denied.')
                : t('Tests that fail appear here with a counterexample.')}
            </EmptyState>
          ) : (
            <ul aria-label={t('Failing policy tests')} className="divide-y">
              {items.map(({ id, name, counterexample, failing_since }) => (
                <li key={id} className="flex flex-col gap-0.5 px-4 py-2">
                  <div className="flex items-center gap-3">
                    <span className="min-w-0 flex-1 truncate font-medium">
                      <Link className="link" href={paths.policyTest({ testId: id })}>
                        {name}
                      </Link>
                    </span>
                    <RelativeTime at={failing_since} />
                  </div>
                  {counterexample && <p className="mono truncate text-sm text-muted">{packetText(counterexample)}</p>}
                </li>
              ))}
            </ul>
          )}
          {total > items.length && (
            <p className="mt-auto border-t px-4 py-1.5 text-sm text-faint">
              {t('Top {n, number} of {total, number}', { n: items.length, total })}
            </p>
          )}
        </div>
      )}
    </QueryView>
  );
}
