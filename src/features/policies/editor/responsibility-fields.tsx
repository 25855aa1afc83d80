'use client';
import type { Control } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { DateTimeField } from '@/ui/form/date-time-field';
import { TextField } from '@/ui/form/text-field';
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

/** What is wrong with a field of a rule, below it. */
export function Message({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className="text-sm text-danger">
      {text}
    </p>
  );
}
