'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { FilterChip } from './filter-chip';

/** The project that a list is narrowed down to, by its name. */
export function ProjectChip({ projectId, onRemove }: { projectId: string; onRemove: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const none = projectId === 'none';
  const { data } = useQuery({ ...trpc.projects.get.queryOptions({ id: projectId }), enabled: !none });
  return none ? null : <FilterChip label={t('Project')} value={data?.name ?? t('unknown')} onRemove={onRemove} />;
}
