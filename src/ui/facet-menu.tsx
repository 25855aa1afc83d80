'use client';
import { useT } from '@/lib/i18n/use-t';
import type { FacetProps } from './facet';
import { FacetButton } from './facet-button';
import { Menu } from './menu';

/** A facet with few values: a menu of checkboxes. */
export function FacetMenu({ label, options, value, onValueChange, single = false }: FacetProps) {
  const t = useT();
  const chosen = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  const set = (option: string, on: boolean) =>
    onValueChange(on ? (single ? [option] : [...value, option]) : value.filter((item) => item !== option));
  return (
    <Menu
      trigger={<FacetButton label={label} chosen={chosen} />}
      entries={[
        ...options.map((option) => ({
          kind: 'check' as const,
          id: option.value,
          label: option.label,
          checked: value.includes(option.value),
          disabled: option.disabledReason !== undefined,
          count: option.count,
          onCheckedChange: (on: boolean) => set(option.value, on),
        })),
        ...(chosen.length > 0
          ? [
              { kind: 'separator' as const, id: 'facet-separator' },
              { id: 'facet-clear', label: t('Clear'), onSelect: () => onValueChange([]) },
            ]
          : []),
      ]}
    />
  );
}
