'use client';
import { useT } from '@/lib/i18n/use-t';
import type { FacetProps } from '@/ui/facet';
import type { Filters, FilterValues } from './filters';

/** Where the values of filters are kept: the URL, or a component. */
export type FilterState<F extends Filters> = {
  filters: { [K in keyof F]?: FilterValues<F>[K] | undefined };
  setFilters: (values: Partial<FilterValues<F>>) => void;
};

/** The menus of declared filters but those hidden, as `FilterBar` takes them. `filters` must be a constant. */
export function useFacets<F extends Filters>(
  filters: F,
  state: FilterState<F>,
  hidden: readonly string[] = [],
): (FacetProps & { id: string })[] {
  const t = useT();
  return Object.entries(filters).flatMap(([id, { useFacet, clears = [] }]) => {
    const choose = (value: unknown) =>
      state.setFilters({
        [id]: value,
        ...Object.fromEntries(clears.map((name) => [name, null])),
      } as Partial<FilterValues<F>>);
    // biome-ignore lint/correctness/useHookAtTopLevel: the declaration is a constant: the same hooks, in the same order, each time
    const facet = useFacet?.(t, state.filters[id] ?? null, choose) ?? null;
    return facet === null || hidden.includes(id) ? [] : [{ id, ...facet }];
  });
}
