'use client';
import type { Control } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { DateTimeField, DateTimeInput } from '@/ui/form/date-time-field';
import { FieldMessage, useField } from '@/ui/form/field-frame';
import { TextField } from '@/ui/form/text-field';
import { TextInput } from '@/ui/text-input';
import type { PolicyValues } from './policy-form-values';

type FormControl = Control<PolicyValues, unknown, never>;

/** Who answers for the policy, why it exists, and until when. */
export function ResponsibilityFields({ control }: { control: FormControl }) {
  const t = useT();
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <TextField
        control={control}
        name="owner"
        label={t('Owner')}
        optional
        maxLength={254}
        description={t('Email address of the user who confirms the policy.')}
      />
      <TextField
        control={control}
        name="ticket"
        label={t('Ticket')}
        optional
        maxLength={200}
        description={t('Number or URL of the request.')}
      />
      <DateTimeField
        control={control}
        name="expires_at"
        label={t('Expires')}
        optional
        description={t('The tenant chooses whether expired policies are removed or only reported.')}
      />
    </div>
  );
}

/** Owner, ticket and expiry of one rule, on a line of its own. */
export function RuleResponsibility({ control, index }: { control: FormControl; index: number }) {
  const t = useT();
  const n = index + 1;
  const expires = useField<string, PolicyValues, never>({ control, name: `rules.${index}.expires_at` as never });
  return (
    <div className="flex min-w-0 basis-full flex-wrap gap-2">
      <Cell {...{ control, index, field: 'owner', label: t('Owner of rule {n}', { n }), placeholder: t('Owner') }} />
      <Cell {...{ control, index, field: 'ticket', label: t('Ticket of rule {n}', { n }), placeholder: t('Ticket') }} />
      <div data-field={expires.name} className="flex min-w-52 flex-1 flex-col gap-0.5">
        <DateTimeInput
          ref={expires.ref}
          aria-label={t('Expiry of rule {n}', { n })}
          aria-invalid={expires.error !== undefined || undefined}
          value={expires.value ?? null}
          onChange={expires.onChange}
          onBlur={expires.onBlur}
        />
        <FieldMessage text={expires.error} />
      </div>
    </div>
  );
}

type CellProps = { control: FormControl; index: number; field: 'owner' | 'ticket'; label: string; placeholder: string };

function Cell({ control, index, field: name, label, placeholder }: CellProps) {
  const field = useField<string, PolicyValues, never>({ control, name: `rules.${index}.${name}` as never });
  return (
    <div data-field={field.name} className="flex min-w-44 flex-1 flex-col gap-0.5">
      <TextInput
        ref={field.ref}
        aria-label={label}
        aria-invalid={field.error !== undefined || undefined}
        data-invalid={field.error !== undefined ? '' : undefined}
        placeholder={placeholder}
        maxLength={name === 'owner' ? 254 : 200}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(event.target.value)}
        onBlur={field.onBlur}
        autoComplete="off"
        spellCheck={false}
      />
      <FieldMessage text={field.error} />
    </div>
  );
}
