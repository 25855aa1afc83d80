'use client';
import { Field } from '@base-ui/react/field';
import clsx from 'clsx';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  rows?: number;
  placeholder?: string;
  mono?: boolean;
  maxLength?: number;
};

/** Several lines of text in a form. */
export function TextareaField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  rows = 3,
  mono,
  placeholder,
  maxLength,
}: Props<V, Out>) {
  const field = useField({ control, name });
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error}>
      <Field.Control
        render={<textarea rows={rows} spellCheck={!mono} />}
        ref={field.ref}
        name={field.name}
        value={field.value ?? ''}
        onValueChange={field.onChange}
        onBlur={field.onBlur}
        placeholder={placeholder}
        maxLength={maxLength}
        className={clsx('control resize-y px-2.5 py-1.5', mono && 'mono')}
      />
    </FieldFrame>
  );
}
