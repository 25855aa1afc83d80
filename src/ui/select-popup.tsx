'use client';
import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { type SelectProps, selectClass } from './choice-parts';
import { useFieldControl } from './form/field-control';
import { itemClass, OptionText } from './option';

/** The list with its button, opened by the press that it was loaded for. */
export function SelectPopup<V extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  size,
  className,
  ...trigger
}: SelectProps<V>) {
  const t = useT();
  const field = useFieldControl();
  return (
    <Base.Root<V>
      defaultOpen
      value={value}
      onValueChange={(next) => next !== null && onValueChange(next)}
      items={options}
      disabled={trigger.disabled ?? field.disabled}
    >
      <Base.Trigger {...field} {...trigger} className={selectClass({ size, className })}>
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
