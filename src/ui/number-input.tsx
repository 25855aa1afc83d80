'use client';
import { Minus, Plus } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useFieldControl } from './form/field-control';
import { useTypedText } from './text-input';

type Props = Pick<ComponentPropsWithRef<'input'>, 'disabled' | 'name' | 'onBlur' | 'aria-label' | 'ref'> & {
  value: number | null;
  onValueChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  /** Shown after the figure: "minutes". */
  unit?: string;
  /** False for numbers that are names, such as ports and VLAN tags: the next one is no better guess. */
  steppers?: boolean;
};

/** The number that a text holds; null: empty. More than 15 digits would not be exact: like every other text they are not a number. */
export function parseNumber(text: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  return /^\d{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
}

const ARROWS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };

/** A whole number. Everything else that is typed is kept and left to validation (text as NaN), never silently changed. */
export function NumberInput({
  value,
  onValueChange,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  step = 1,
  unit,
  steppers = true,
  ...rest
}: Props) {
  const t = useT();
  const field = useFieldControl();
  const disabled = rest.disabled ?? field.disabled;
  const isNumber = value !== null && !Number.isNaN(value);
  const { text, keep } = useTypedText(String(value), isNumber ? String(value) : '');
  const move = (by: number) => onValueChange(isNumber ? Math.min(max, Math.max(min, value + by * step)) : min);
  const stepper = (label: string, by: number) => (
    <button
      type="button"
      // The arrow keys do the same.
      tabIndex={-1}
      aria-label={label}
      disabled={disabled}
      onClick={() => move(by)}
      className="flex w-7 shrink-0 items-center justify-center self-stretch border-l text-faint enabled:hover:bg-surface-2 enabled:hover:text-text"
    >
      {by < 0 ? <Minus size={12} /> : <Plus size={12} />}
    </button>
  );
  return (
    <div className="control flex max-w-48 items-stretch overflow-hidden">
      <input
        {...field}
        {...rest}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        aria-roledescription={t('Number field')}
        value={text}
        onChange={({ target }) => {
          const read = parseNumber(target.value);
          keep(target.value, String(read));
          onValueChange(read);
        }}
        onKeyDown={(event) => {
          const by = ARROWS[event.key];
          if (by === undefined) return;
          event.preventDefault();
          move(by);
        }}
        className="min-w-0 flex-1 bg-transparent px-2.5 text-right tabular-nums outline-none"
      />
      {unit && <span className="flex items-center pr-2 text-faint">{unit}</span>}
      {steppers && (
        <>
          {stepper(t('Decrease'), -1)}
          {stepper(t('Increase'), 1)}
        </>
      )}
    </div>
  );
}
