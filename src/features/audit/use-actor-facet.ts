'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import type { FacetProps } from '@/ui/facet';
import { usePermissions } from '../shared/use-permissions';

type ActorFacet = FacetProps & { id: string };

/** The filter by a user, found by typing; null for those who may not see users. */
export function useActorFacet(actorId: string | null, onChange: (actorId: string | null) => void): ActorFacet | null {
  const t = useT();
  const trpc = useTRPC();
  const { can } = usePermissions();
  const [search, setSearch] = useState('');
  const enabled = can('user:read');
  const found = useQuery({
    ...trpc.users.list.queryOptions({ sort: 'email', limit: 50, ...(search !== '' && { q: search }) }),
    enabled,
  });
  // Somebody who was deleted is still named by the trail; here there is only the id.
  const chosen = useQuery({
    ...trpc.users.get.queryOptions({ id: actorId ?? '' }),
    enabled: enabled && actorId !== null,
    retry: false,
  });
  const options = useMemo(() => {
    const listed = found.data?.items.map(({ id, email }) => ({ value: id, label: email })) ?? [];
    if (actorId === null || listed.some(({ value }) => value === actorId)) return listed;
    return [{ value: actorId, label: chosen.data?.email ?? actorId }, ...listed];
  }, [found.data, chosen.data, actorId]);
  if (!enabled) return null;
  return {
    id: 'actor_id',
    label: t('User'),
    single: true,
    options,
    remote: { onSearch: setSearch, loading: found.isFetching },
    value: actorId === null ? [] : [actorId],
    onValueChange: ([value]) => onChange(value ?? null),
  };
}
