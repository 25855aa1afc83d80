'use client';
import { Field } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import type { FieldValues } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { RadioGroup, type RadioOption } from '../radio-group';
import { FieldMessage, type FieldProps, useField } from './field-frame';

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
  return (
    <Field.Root data-field={name} invalid={field.error !== undefined} disabled={disabled}>
      <Fieldset.Root className="flex flex-col gap-1.5">
        <Fieldset.Legend className="font-medium">
          {label}
          {optional && <span className="font-normal text-faint"> {t('(optional)')}</span>}
        </Fieldset.Legend>
        <RadioGroup<T>
          ref={field.ref}
          value={field.value ?? null}
          onValueChange={field.onChange}
          options={options}
          disabled={disabled}
        />
        {description && <Field.Description className="text-sm text-pretty text-faint">{description}</Field.Description>}
        <FieldMessage error={field.error} />
      </Fieldset.Root>
    </Field.Root>
  );
}
