'use client';
import type { FieldValues } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '../button';
import { TextInput } from '../text-input';
import { cidrHint } from './cidr-hint';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & { placeholder?: string; autoFocus?: boolean };

/** A network in a form. Says at once how large it is, and offers the network when an address inside it was typed. */
export function CidrField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  placeholder = '10.0.0.0/24',
  autoFocus,
}: Props<V, Out>) {
  const t = useT();
  const field = useField<string, V, Out>({ control, name });
  const hint = cidrHint(t, field.value ?? '');
  return (
    <FieldFrame
      {...{ name, label, optional, disabled }}
      error={field.error}
      description={
        hint ? (
          <span className="flex flex-wrap items-center gap-2">
            {hint.text}
            {hint.suggestion && !disabled && (
              <Button size="sm" onClick={() => field.onChange(hint.suggestion ?? null)}>
                {t.rich('Use <cidr>{network}</cidr>', {
                  network: hint.suggestion,
                  cidr: (inside) => <span className="mono">{inside}</span>,
                })}
              </Button>
            )}
          </span>
        ) : (
          description
        )
      }
    >
      <TextInput
        ref={field.ref}
        name={field.name}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(event.target.value)}
        onBlur={field.onBlur}
        autoComplete="off"
        spellCheck={false}
        autoFocus={autoFocus}
        placeholder={placeholder}
        mono
      />
    </FieldFrame>
  );
}
