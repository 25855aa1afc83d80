'use client';
import type { ReactNode } from 'react';
import { SecondFactorProof } from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';

type Values = { current_password: string; code: string };
type Props = {
  hasPassword: boolean;
  save: { mutate: (proof: SecondFactorProof) => void; error: unknown; isPending: boolean };
  submitLabel: string;
  tone?: 'primary' | 'danger';
  onCancel: () => void;
  children: ReactNode;
};

/** Asks who one is before a second factor changes: the password, or where the account has none a code. */
export function ProofForm({ hasPassword, save, submitLabel, tone, onCancel, children }: Props) {
  const t = useT();
  const form = useCheckedForm<Values, unknown, SecondFactorProof>({
    defaultValues: { current_password: '', code: '' },
    resolver: domainResolver(SecondFactorProof, ({ current_password, code }: Values) =>
      hasPassword ? { current_password } : { code },
    ),
  });
  return (
    <FormShell
      form={form}
      onSubmit={(proof) => save.mutate(proof)}
      error={save.error ? toFailure(save.error) : null}
      pending={save.isPending}
      submitLabel={submitLabel}
      tone={tone}
      onCancel={onCancel}
      layout="panel"
    >
      {children}
      {hasPassword ? (
        <PasswordField
          control={form.control}
          name="current_password"
          label={t('Current password')}
          autoComplete="current-password"
          autoFocus
        />
      ) : (
        <TextField
          control={form.control}
          name="code"
          label={t('Code')}
          description={t('Six-digit code from your authenticator app, or a recovery code.')}
          autoComplete="one-time-code"
          mono
          autoFocus
        />
      )}
    </FormShell>
  );
}
