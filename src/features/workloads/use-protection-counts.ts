'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ProtectionCounts, ProtectionCountsInput } from '@/domain/inventory';
import { useTRPC } from '@/lib/trpc';
import type { FacetProps } from '@/ui/facet';

type Facet = FacetProps & { id: string };
type Asked = ProtectionCountsInput & { sort?: unknown };

/** The menus with how many workloads each protection, and each reason, has under the other filters. */
export function useProtectionCounts(facets: readonly Facet[], { sort: _, ...input }: Asked): Facet[] {
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.workloads.protectionCounts.queryOptions(input),
    placeholderData: keepPreviousData,
  });
  return withCounts(facets, data);
}

/** The menus with counts in those that have them; without an answer no menu has any. */
export function withCounts(facets: readonly Facet[], counts: Partial<ProtectionCounts> | undefined): Facet[] {
  const byFacet: Readonly<Record<string, Readonly<Record<string, number>> | undefined>> = {
    protection: counts?.protection,
    protection_reason: counts?.protection_reason,
  };
  return facets.map((facet) => {
    const of = byFacet[facet.id];
    if (!of) return facet;
    return { ...facet, options: facet.options.map((option) => ({ ...option, count: of[option.value] ?? 0 })) };
  });
}
