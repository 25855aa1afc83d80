'use client';
import { useId } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { RadioGroup, type RadioOption } from '../radio-group';
import { fieldControl } from './field-control';
import { type FieldProps, FieldWords, useField } from './field-frame';

type Props<T extends string, V extends FieldValues, Out> = FieldProps<T, V, Out> & {
  options: readonly RadioOption<T>[];
};

/** One of a few explained choices in a form. */
export function RadioField<T extends string, V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  options,
}: Props<T, V, Out>) {
  const t = useT();
  const field = useField<T, V, Out>({ control, name });
  const { error } = field;
  const id = useId();
  const { 'aria-describedby': words } = fieldControl({ id, description, error });
  return (
    <fieldset data-field={name} className="flex min-w-0 flex-col gap-1.5">
      <legend className="contents font-medium">
        <span>
          {label}
          {optional && <span className="font-normal text-faint"> {t('(optional)')}</span>}
        </span>
      </legend>
      <RadioGroup<T>
        ref={field.ref}
        aria-label={label}
        aria-describedby={words}
        value={field.value ?? null}
        onValueChange={field.onChange}
        options={options}
        disabled={disabled}
        isInvalid={error !== undefined}
      />
      <FieldWords {...{ id, description, error }} />
    </fieldset>
  );
}
