'use client';
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
      {choices.map(({ value, label: name, description: about, disabledReason }, index) => (
        <div key={value} className="flex min-w-0 gap-2">
          <Checkbox
            ref={index === 0 ? field.ref : undefined}
            id={`${id}-${index}`}
            aria-describedby={(disabledReason ?? about) ? `${id}-${index}-about` : undefined}
            className="mt-0.5"
            checked={chosen.includes(value)}
            // What was chosen before can always be removed.
            disabled={Boolean(disabledReason) && !chosen.includes(value)}
            onCheckedChange={(on) => field.onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value))}
            onBlur={field.onBlur}
          />
          <div className="flex min-w-0 flex-col gap-0.5 [overflow-wrap:anywhere]">
            <label htmlFor={`${id}-${index}`}>{name}</label>
            {(disabledReason ?? about) && (
              <p id={`${id}-${index}-about`} className="text-sm text-pretty text-faint">
                {disabledReason ?? about}
              </p>
            )}
          </div>
        </div>
      ))}
      {choices.length === 0 && empty}
      <div id={`${id}-words`} className="flex flex-col">
        {description && <p className="text-sm text-pretty text-faint">{description}</p>}
        {field.error && <p className="text-sm text-danger">{field.error}</p>}
      </div>
    </fieldset>
  );
}
