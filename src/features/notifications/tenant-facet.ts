'use client';
import { useT } from '@/lib/i18n/use-t';
import type { Option } from '@/ui/option';
import { useTenantOptions } from '../shared/use-tenant-options';

type State = {
  filters: { tenant_id: string | null };
  setFilter: (name: 'tenant_id', value: string | null) => void;
};

type Facet = {
  id: string;
  label: string;
  single: true;
  options: Option[];
  value: string[];
  onValueChange: (values: string[]) => void;
};

/** The filter by tenant, for those who see more than one. */
export function useTenantFacet(state: State): Facet[] {
  const t = useT();
  const options = useTenantOptions('notification:read').map(({ value, label }) => ({ value, label }));
  if (options.length === 0) return [];
  const { tenant_id } = state.filters;
  return [
    {
      id: 'tenant_id',
      label: t('Tenant'),
      single: true,
      options,
      value: tenant_id === null ? [] : [tenant_id],
      onValueChange: ([value]) => state.setFilter('tenant_id', value ?? null),
    },
  ];
}
