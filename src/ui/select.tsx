'use client';
import { Select as Base } from '@base-ui/react/select';
import clsx from 'clsx';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { Ref } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { itemClass, type Option, OptionText } from './option';

type Props<V extends string> = {
  value: V | null;
  onValueChange: (value: V) => void;
  options: readonly Option<V>[];
  placeholder?: string;
  disabled?: boolean;
  size?: 'md' | 'sm';
  name?: string;
  onBlur?: () => void;
  'aria-label'?: string;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
};

/** One of a fixed, short list. From about fifteen entries on, or with remote data, use `Combobox`. */
export function Select<V extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  disabled,
  size = 'md',
  name,
  className,
  ref,
  ...trigger
}: Props<V>) {
  const t = useT();
  return (
    <Base.Root<V>
      value={value}
      onValueChange={(next) => next !== null && onValueChange(next)}
      items={options}
      disabled={disabled}
      name={name}
    >
      <Base.Trigger
        {...trigger}
        ref={ref}
        className={clsx(
          'control flex items-center justify-between gap-2 pr-2 pl-2.5 text-left hover:not-data-disabled:bg-surface-2',
          size === 'sm' && '!min-h-6 text-sm',
          className,
        )}
      >
        <Base.Value placeholder={placeholder ?? t('Choose')} className="truncate data-placeholder:text-faint" />
        <Base.Icon className="shrink-0 text-faint">
          <ChevronsUpDown size={14} />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-(--layer-overlay) outline-none">
          <Base.Popup className="popup max-h-(--available-height) min-w-(--anchor-width) max-w-[min(24rem,var(--available-width))] overflow-y-auto p-1">
            <Base.List>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabledReason !== undefined}
                  className={itemClass}
                >
                  <Base.ItemText className="flex min-w-0 flex-1">
                    <OptionText option={option} />
                  </Base.ItemText>
                  <Base.ItemIndicator className="text-accent">
                    <Check size={14} />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
