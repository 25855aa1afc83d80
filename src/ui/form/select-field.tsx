'use client';
import type { FieldValues } from 'react-hook-form';
import type { Option } from '../option';
import { Select } from '../select';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<T extends string, V extends FieldValues, Out> = FieldProps<T, V, Out> & {
  options: readonly Option<T>[];
  placeholder?: string;
};

/** One of a fixed list in a form. */
export function SelectField<T extends string, V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  options,
  placeholder,
}: Props<T, V, Out>) {
  const field = useField<T, V, Out>({ control, name });
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error} nativeLabel={false}>
      <Select<T>
        ref={field.ref}
        name={field.name}
        value={field.value ?? null}
        onValueChange={field.onChange}
        onBlur={field.onBlur}
        options={options}
        placeholder={placeholder}
        disabled={disabled}
      />
    </FieldFrame>
  );
}
