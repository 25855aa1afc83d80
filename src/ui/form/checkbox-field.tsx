'use client';
import { Field } from '@base-ui/react/field';
import type { FieldValues } from 'react-hook-form';
import { Checkbox } from '../checkbox';
import { FieldMessage, type FieldProps, useField } from './field-frame';

/** A yes or no in a form: the box before its label. */
export function CheckboxField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  disabled,
}: Omit<FieldProps<boolean, V, Out>, 'optional'>) {
  const field = useField<boolean, V, Out>({ control, name });
  return (
    <Field.Root
      data-field={name}
      invalid={field.error !== undefined}
      disabled={disabled}
      className="flex min-w-0 gap-2"
    >
      <Checkbox
        ref={field.ref}
        name={field.name}
        checked={field.value ?? false}
        onCheckedChange={field.onChange}
        onBlur={field.onBlur}
        className="mt-0.5"
      />
      <div className="flex min-w-0 flex-col gap-0.5">
        <Field.Label>{label}</Field.Label>
        {description && <Field.Description className="text-sm text-pretty text-faint">{description}</Field.Description>}
        <FieldMessage error={field.error} />
      </div>
    </Field.Root>
  );
}
