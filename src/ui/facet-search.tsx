'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from './button-class';
import { ComboboxStatus, OptionList } from './combobox-popup';
import type { FacetProps } from './facet';
import { FacetButton } from './facet-button';
import type { Option } from './option';

/** A facet with many values: they are found by typing. */
export function FacetSearch({ label, options, value, onValueChange, single = false, remote }: FacetProps) {
  const t = useT();
  const chosen = value.map((item) => options.find((option) => option.value === item) ?? { value: item, label: item });
  return (
    <Base.Root<Option, true>
      multiple
      items={options}
      value={chosen}
      onValueChange={(next) => onValueChange(next.slice(single ? -1 : 0).map((option) => option.value))}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={remote ? null : undefined}
      onInputValueChange={remote && ((text) => remote.onSearch(text))}
      autoHighlight
    >
      <Base.Trigger render={<FacetButton label={label} chosen={chosen.map((option) => option.label)} />} />
      <Base.Portal>
        <Base.Positioner align="start" sideOffset={4} className="z-(--layer-overlay) outline-none">
          <Base.Popup
            aria-label={label}
            className="popup flex max-h-[min(24rem,var(--available-height))] w-72 max-w-(--available-width) flex-col"
          >
            <div className="flex items-center gap-1 border-b p-1">
              <Base.Input
                aria-label={t('Search {label}', { label: lowerLabel(t, label) })}
                placeholder={t('Type to search')}
                className="h-7 min-w-0 flex-1 bg-transparent px-2 outline-none"
              />
              {chosen.length > 0 && (
                <button
                  type="button"
                  className={buttonClass({ variant: 'ghost', size: 'sm' })}
                  onClick={() => onValueChange([])}
                >
                  {t('Clear')}
                </button>
              )}
            </div>
            <ComboboxStatus remote={remote} />
            <OptionList />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
