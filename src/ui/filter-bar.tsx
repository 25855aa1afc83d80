'use client';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import { Facet, type FacetProps } from './facet';
import { SearchBox } from './search-box';

type Props = {
  search?: { label: string; value: string; onValueChange: (value: string) => void };
  facets?: readonly (FacetProps & { id: string })[];
  /** Takes away search and all facets at once. */
  onClear?: () => void;
  /** More filters or actions, at the end. */
  children?: ReactNode;
};

/** A menu without entries helps nobody: some may not see what it would list. */
const choosable = ({ options, value, remote }: FacetProps) =>
  options.length > 0 || value.length > 0 || remote !== undefined;

/** Above a list: search, then one menu per field. The state belongs to the caller (in the URL). */
export function FilterBar({ search, facets = [], onClear, children }: Props) {
  const t = useT();
  const active = (search?.value ?? '') !== '' || facets.some((facet) => facet.value.length > 0);
  return (
    <search className="flex flex-wrap items-center gap-2">
      {search && <SearchBox {...search} className="!w-full md:!w-64" />}
      {facets.filter(choosable).map(({ id, ...facet }) => (
        <Facet key={id} {...facet} />
      ))}
      {active && onClear && (
        <Button variant="ghost" icon={<X size={14} />} onClick={onClear}>
          {t('Clear')}
        </Button>
      )}
      {children && <div className="ml-auto flex flex-wrap items-start gap-2 max-sm:w-full">{children}</div>}
    </search>
  );
}
