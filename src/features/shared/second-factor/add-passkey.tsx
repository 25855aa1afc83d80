'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { PasskeyBegin, PasskeyUpdate } from '@/domain/passkeys';
import type { SecondFactorState } from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver, useCheckedForm } from '../domain-resolver';
import { RecoveryCodeList } from './recovery-codes';
import { createPasskey, passkeyFailure, passkeyObstacle } from './webauthn';

const Values = z.strictObject({ ...PasskeyUpdate.shape, ...PasskeyBegin.shape });
type Values = z.output<typeof Values>;
type Props = { state: SecondFactorState; onCancel?: () => void; cancelLabel?: string; onDone: () => void };

/** Adds a passkey: its name, the browser's prompt, and for the first factor the recovery codes. */
export function AddPasskey({ state, onCancel, cancelLabel, onDone }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const asksPassword = state.proof_needed && state.has_password;
  const form = useCheckedForm<Required<Values>, unknown, Values>({
    defaultValues: { name: '', current_password: '' },
    resolver: domainResolver(Values, ({ name, current_password }: Required<Values>) =>
      asksPassword ? { name, current_password } : { name },
    ),
  });
  const begin = useMutation(trpc.account.beginPasskey.mutationOptions());
  const add = useMutation(trpc.account.addPasskey.mutationOptions());
  const save = useMutation({
    mutationFn: async ({ name, ...proof }: Values) => {
      const credential = await createPasskey(await begin.mutateAsync(proof));
      return add.mutateAsync({ name, credential });
    },
    onSuccess: ({ recovery_codes }) => (recovery_codes.length > 0 ? setCodes(recovery_codes) : onDone()),
  });
  if (codes) return <RecoveryCodeList codes={codes} onDone={onDone} />;
  const tooOld = state.proof_needed && !state.has_password;
  return (
    <FormShell
      form={form}
      onSubmit={(values) => save.mutate(values)}
      error={save.error ? passkeyFailure(t, save.error) : null}
      pending={save.isPending}
      submitLabel={t('Add passkey')}
      disabledReason={
        passkeyObstacle(t, state.passkey_site) ??
        (tooOld ? t('Your sign-in is too old. Sign out, then sign in again') : null)
      }
      onCancel={onCancel}
      cancelLabel={cancelLabel}
    >
      <p className="text-pretty">
        {t(
          'Your browser then asks for a fingerprint, a face, a PIN or a security key. Each sign-in requires the passkey or a code after your password.',
        )}
      </p>
      <TextField
        control={form.control}
        name="name"
        label={t('Name of the passkey')}
        placeholder={t('Laptop, phone or security key')}
        maxLength={100}
        autoComplete="off"
        autoFocus
      />
      {asksPassword && (
        <PasswordField
          control={form.control}
          name="current_password"
          label={t('Current password')}
          autoComplete="current-password"
        />
      )}
    </FormShell>
  );
}
