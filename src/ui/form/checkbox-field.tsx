'use client';
import { useId } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Checkbox } from '../checkbox';
import { fieldControl } from './field-control';
import { type FieldProps, FieldWords, useField } from './field-frame';

/** A yes or no in a form: the box before its label. */
export function CheckboxField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  disabled,
}: Omit<FieldProps<boolean, V, Out>, 'optional'>) {
  const { ref, value, onChange, onBlur, error } = useField<boolean, V, Out>({ control, name });
  const id = useId();
  return (
    <div data-field={name} className="flex min-w-0 gap-2">
      <Checkbox
        {...fieldControl({ id, description, error, disabled })}
        ref={ref}
        name={name}
        checked={value ?? false}
        onCheckedChange={onChange}
        onBlur={onBlur}
        className="mt-0.5"
      />
      <div className="flex min-w-0 flex-col gap-0.5">
        <label htmlFor={id}>{label}</label>
        <FieldWords {...{ id, description, error }} />
      </div>
    </div>
  );
}
