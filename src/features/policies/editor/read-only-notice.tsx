'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Notice } from '@/ui/notice';
import { ClusterLink } from '../../shared/entity-links';
import { usePermissions } from '../../shared/use-permissions';

/** Before a policy is enforced: the clusters on which it cannot be, because their API tokens are read-only. */
export function ReadOnlyNotice() {
  const t = useT();
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.clusters.list.queryOptions({ sort: 'name', limit: 500 }),
    enabled: can('cluster:read'),
  });
  const clusters = (data?.items ?? []).filter(({ missing_write_privileges: missing }) => missing && missing.length > 0);
  if (clusters.length === 0) return null;
  return (
    <Notice tone="warn" title={t('Read-only clusters: policies cannot be applied')}>
      {t('The API tokens of these clusters lack write privileges:')}{' '}
      {clusters.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <ClusterLink id={id} name={name} />
        </span>
      ))}
    </Notice>
  );
}
