'use client';
import { NumberField } from '@base-ui/react/number-field';
import { Minus, Plus } from 'lucide-react';
import type { Ref } from 'react';
import { useT } from '@/lib/i18n/use-t';

type Props = {
  value: number | null;
  onValueChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  /** Shown after the figure: "minutes". */
  unit?: string;
  /** False for numbers that are names, such as ports and VLAN tags: the next one is no better guess. */
  steppers?: boolean;
  disabled?: boolean;
  name?: string;
  onBlur?: () => void;
  'aria-label'?: string;
  ref?: Ref<HTMLInputElement>;
};

const STEPPER =
  'flex w-7 shrink-0 items-center justify-center self-stretch text-faint hover:not-data-disabled:bg-surface-2 hover:not-data-disabled:text-text';

/** A whole number. Typed values outside min..max are kept and left to validation, never silently changed. */
export function NumberInput({
  value,
  onValueChange,
  min,
  max,
  step = 1,
  unit,
  steppers = true,
  disabled,
  name,
  ref,
  ...rest
}: Props) {
  const t = useT();
  return (
    <NumberField.Root
      value={value}
      onValueChange={onValueChange}
      min={min}
      max={max}
      step={step}
      disabled={disabled}
      name={name}
      allowOutOfRange
      locale="en"
      format={{ useGrouping: false }}
    >
      <NumberField.Group className="control flex max-w-48 items-stretch overflow-hidden">
        <NumberField.Input
          {...rest}
          aria-roledescription={t('Number field')}
          ref={ref}
          className="min-w-0 flex-1 bg-transparent px-2.5 text-right tabular-nums outline-none"
        />
        {unit && <span className="flex items-center pr-2 text-faint">{unit}</span>}
        {steppers && (
          <>
            <NumberField.Decrement aria-label={t('Decrease')} className={`${STEPPER} border-l`}>
              <Minus size={12} />
            </NumberField.Decrement>
            <NumberField.Increment aria-label={t('Increase')} className={`${STEPPER} border-l`}>
              <Plus size={12} />
            </NumberField.Increment>
          </>
        )}
      </NumberField.Group>
    </NumberField.Root>
  );
}
