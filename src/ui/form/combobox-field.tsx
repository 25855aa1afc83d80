'use client';
import type { FieldValues } from 'react-hook-form';
import { Combobox } from '../combobox';
import type { Option } from '../option';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  /** All choices; the form holds the `value` of the chosen one. */
  options: readonly Option[];
  placeholder?: string;
};

/** One of many in a form, found by typing. */
export function ComboboxField<V extends FieldValues, Out>(props: Props<V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<string, V, Out, Props<V, Out>>(props);
  const chosen = value
    ? // A value that is no longer offered stays visible instead of looking empty.
      (own.options.find((option) => option.value === value) ?? { value, label: value })
    : null;
  return (
    <FieldFrame {...frame}>
      <Combobox
        {...own}
        ref={handlers.ref}
        value={chosen}
        onValueChange={(option) => onChange(option?.value ?? null)}
        onBlur={handlers.onBlur}
        clearable={frame.optional}
        disabled={frame.disabled}
      />
    </FieldFrame>
  );
}
