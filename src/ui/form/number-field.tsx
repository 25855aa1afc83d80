'use client';
import type { FieldValues } from 'react-hook-form';
import { NumberInput } from '../number-input';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<number, V, Out> & {
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
};

/** A number in a form; null while the box is empty. Out-of-range values are for the schema to refuse. */
export function NumberField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  ...input
}: Props<V, Out>) {
  const field = useField<number, V, Out>({ control, name });
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error}>
      <NumberInput
        {...input}
        ref={field.ref}
        name={field.name}
        value={field.value ?? null}
        onValueChange={field.onChange}
        onBlur={field.onBlur}
        disabled={disabled}
      />
    </FieldFrame>
  );
}
