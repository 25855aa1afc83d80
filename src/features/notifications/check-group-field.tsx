'use client';
import { Field } from '@base-ui/react/field';
import { type ReactNode, useId } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '@/ui/checkbox';
import { type FieldProps, useField } from '@/ui/form/field-frame';

type Choice = { value: string; label: string; description?: string; disabledReason?: string | null };

type Props<V extends FieldValues, Out> = FieldProps<string[], V, Out> & {
  choices: readonly Choice[];
  /** In place of the boxes when there are none. */
  empty?: ReactNode;
};

/** Several of a few, each a box with its explanation. What cannot be chosen says why. */
export function CheckGroupField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  choices,
  empty,
}: Props<V, Out>) {
  const t = useT();
  const field = useField<string[], V, Out>({ control, name });
  const id = useId();
  const chosen = field.value ?? [];
  return (
    <fieldset data-field={name} className="flex min-w-0 flex-col gap-2" aria-describedby={`${id}-words`}>
      <legend className="pb-1 font-medium">
        {label}
        {optional && <span className="font-normal text-faint"> {t('(optional)')}</span>}
      </legend>
      {choices.map((choice, index) => (
        <Field.Root
          key={choice.value}
          // What was chosen before can always be removed.
          disabled={Boolean(choice.disabledReason) && !chosen.includes(choice.value)}
          className="flex min-w-0 gap-2"
        >
          <Checkbox
            ref={index === 0 ? field.ref : undefined}
            className="mt-0.5"
            checked={chosen.includes(choice.value)}
            onCheckedChange={(on) =>
              field.onChange(on ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value))
            }
            onBlur={field.onBlur}
          />
          <div className="flex min-w-0 flex-col gap-0.5 [overflow-wrap:anywhere]">
            <Field.Label>{choice.label}</Field.Label>
            {(choice.disabledReason ?? choice.description) && (
              <Field.Description className="text-sm text-pretty text-faint">
                {choice.disabledReason ?? choice.description}
              </Field.Description>
            )}
          </div>
        </Field.Root>
      ))}
      {choices.length === 0 && empty}
      <div id={`${id}-words`} className="flex flex-col">
        {description && <p className="text-sm text-pretty text-faint">{description}</p>}
        {field.error && <p className="text-sm text-danger">{field.error}</p>}
      </div>
    </fieldset>
  );
}
