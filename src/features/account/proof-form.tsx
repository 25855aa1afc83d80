'use client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SecondFactorProof, type SecondFactorState } from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { askPasskey, passkeyFailure, passkeyObstacle } from '../shared/second-factor/webauthn';

type Values = { current_password: string; code: string };
type Props = {
  state: SecondFactorState;
  save: { mutate: (proof: SecondFactorProof) => void; error: unknown; isPending: boolean };
  submitLabel: string;
  tone?: 'primary' | 'danger';
  onCancel: () => void;
  children: ReactNode;
};

/** Asks who one is before a second factor changes: the password, or where the account has none a code or a passkey. */
export function ProofForm({ state, save, submitLabel, tone, onCancel, children }: Props) {
  const t = useT();
  const { has_password: hasPassword, passkeys, passkey_site } = state;
  const begin = useMutation(useTRPC().account.beginPasskeyProof.mutationOptions());
  const ask = useMutation({
    mutationFn: async () => askPasskey(await begin.mutateAsync()),
    onSuccess: (passkey) => save.mutate({ passkey }),
  });
  const usable = passkeys.some(({ rp_id }) => rp_id === passkey_site.rp_id);
  const error = ask.error ? passkeyFailure(t, ask.error) : save.error ? toFailure(save.error) : null;
  const form = useCheckedForm<Values, unknown, SecondFactorProof>({
    defaultValues: { current_password: '', code: '' },
    resolver: domainResolver(SecondFactorProof, ({ current_password, code }: Values) =>
      hasPassword ? { current_password } : { code },
    ),
  });
  return (
    <FormShell
      form={form}
      onSubmit={(proof) => {
        ask.reset();
        save.mutate(proof);
      }}
      error={error}
      pending={save.isPending || ask.isPending}
      submitLabel={submitLabel}
      tone={tone}
      onCancel={onCancel}
      layout="panel"
      aside={
        !hasPassword &&
        usable && (
          <Button variant="ghost" onClick={() => ask.mutate()} disabledReason={passkeyObstacle(t, passkey_site)}>
            {t('Use a passkey instead')}
          </Button>
        )
      }
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
