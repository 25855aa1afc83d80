'use client';
import { type FieldValues, useController } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import type { FieldProps } from './field-props';

/** The value, handlers and message of one form field. `Value` is guaranteed by the type of `name`. */
export function useField<Value, V extends FieldValues, Out>({
  control,
  name,
}: Pick<FieldProps<Value, V, Out>, 'control' | 'name'>) {
  const t = useT();
  const { field, fieldState } = useController({ control, name });
  return {
    ref: field.ref,
    name: field.name as string,
    value: field.value as Value | null | undefined,
    onBlur: field.onBlur,
    onChange: field.onChange as (value: Value | null) => void,
    error: fieldState.error ? (fieldState.error.message ?? t('Check this value')) : undefined,
  };
}
