'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { X } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { ComboboxPopup, filterOf, type SearchedProps } from './combobox-popup';
import type { Option } from './option';

type Props<V extends string> = SearchedProps<V> & {
  value: readonly Option<V>[];
  onValueChange: (options: Option<V>[]) => void;
};

/** A multiple choice, found by typing; chosen items are shown in the box and removed by Backspace or their cross. */
export function MultiCombobox<V extends string>({
  value,
  onValueChange,
  options,
  remote,
  placeholder,
  disabled,
  ref,
  ...input
}: Props<V>) {
  const t = useT();
  return (
    <Base.Root<Option<V>, true>
      multiple
      items={options}
      value={value}
      // Esc leaves the box; it must not throw away what was chosen.
      onValueChange={(next, { reason }) => reason !== 'escape-key' && onValueChange(next)}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={filterOf(remote)}
      onInputValueChange={remote && ((text) => remote.onSearch(text))}
      autoHighlight
      disabled={disabled}
    >
      <Base.InputGroup className="control flex flex-wrap items-center gap-1 px-1 py-0.5">
        <Base.Chips className="contents">
          {value.map((option) => (
            <Base.Chip
              key={option.value}
              className="inline-flex h-6 max-w-full items-center gap-1 rounded-sm bg-surface-3 pl-1.5 data-highlighted:bg-accent-soft"
            >
              <span className="truncate">{option.label}</span>
              <Base.ChipRemove
                aria-label={t('Remove {name}', { name: option.label })}
                className="inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
              >
                <X size={12} />
              </Base.ChipRemove>
            </Base.Chip>
          ))}
          <Base.Input
            {...input}
            ref={ref}
            placeholder={value.length === 0 ? (placeholder ?? t('Type to search')) : undefined}
            className="h-6 min-w-24 flex-1 bg-transparent px-1.5 outline-none"
          />
        </Base.Chips>
      </Base.InputGroup>
      <ComboboxPopup remote={remote} />
    </Base.Root>
  );
}
