'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown, X } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { ComboboxPopup, filterOf, type SearchedProps } from './combobox-popup';
import type { Option } from './option';

type Props<V extends string> = SearchedProps<V> & {
  value: Option<V> | null;
  onValueChange: (option: Option<V> | null) => void;
  /** Whether it can be emptied again. */
  clearable?: boolean;
  name?: string;
};

/** One of many, found by typing. */
export function Combobox<V extends string>({
  value,
  onValueChange,
  options,
  remote,
  placeholder,
  clearable = false,
  disabled,
  name,
  ref,
  ...input
}: Props<V>) {
  const t = useT();
  return (
    <Base.Root<Option<V>>
      items={options}
      value={value}
      onValueChange={onValueChange}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={filterOf(remote)}
      onInputValueChange={
        remote && ((text, { reason }) => reason !== 'item-press' && remote.onSearch(text === value?.label ? '' : text))
      }
      autoHighlight
      disabled={disabled}
      name={name}
    >
      <Base.InputGroup className="control flex items-center gap-1 pr-1 pl-2.5">
        <Base.Input
          {...input}
          ref={ref}
          placeholder={placeholder ?? t('Type to search')}
          className="min-w-0 flex-1 self-stretch bg-transparent outline-none"
        />
        {clearable && value && (
          <Base.Clear
            aria-label={t('Clear')}
            className="inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
          >
            <X size={14} />
          </Base.Clear>
        )}
        <Base.Trigger
          aria-label={t('Show options')}
          className="inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
        >
          <ChevronsUpDown size={14} />
        </Base.Trigger>
      </Base.InputGroup>
      <ComboboxPopup remote={remote} />
    </Base.Root>
  );
}
