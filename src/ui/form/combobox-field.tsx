'use client';
import type { FieldValues } from 'react-hook-form';
import { Combobox } from '../combobox';
import type { Option } from '../option';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  /** All choices; the form holds the `value` of the chosen one. */
  options: readonly Option[];
  placeholder?: string;
};

/** One of many in a form, found by typing. */
export function ComboboxField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  options,
  placeholder,
}: Props<V, Out>) {
  const field = useField<string, V, Out>({ control, name });
  const chosen = field.value
    ? // A value that is no longer offered stays visible instead of looking empty.
      (options.find((option) => option.value === field.value) ?? { value: field.value, label: field.value })
    : null;
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error}>
      <Combobox
        ref={field.ref}
        value={chosen}
        onValueChange={(option) => field.onChange(option?.value ?? null)}
        onBlur={field.onBlur}
        options={options}
        placeholder={placeholder}
        clearable={optional}
        disabled={disabled}
      />
    </FieldFrame>
  );
}
