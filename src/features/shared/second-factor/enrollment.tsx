'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  EnrolmentConfirmation,
  type Enrolment as EnrolmentData,
  EnrolmentInput,
  type SecondFactorState,
} from '@/domain/second-factor';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { domainResolver, useCheckedForm } from '../domain-resolver';
import { AddPasskey } from './add-passkey';
import { QrCode } from './qr-code';
import { RecoveryCodeList } from './recovery-codes';
import { passkeyObstacle } from './webauthn';

type Props = { state: SecondFactorState; onCancel?: () => void; onDone: () => void };

/** Sets up a second factor: an authenticator app, or instead of it the first passkey. */
export function Enrolment({ state, onCancel, onDone }: Props) {
  const t = useT();
  const [begun, setBegun] = useState<EnrolmentData | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [passkey, setPasskey] = useState(false);
  if (codes) return <RecoveryCodeList codes={codes} onDone={onDone} />;
  // Codes of before still work: there are no new ones to show.
  const confirm = (given: readonly string[]) => (given.length > 0 ? setCodes(given) : onDone());
  if (begun) return <Confirmation enrolment={begun} onCancel={onCancel} onConfirmed={confirm} />;
  if (passkey) {
    return <AddPasskey state={state} onCancel={() => setPasskey(false)} cancelLabel={t('Back')} onDone={onDone} />;
  }
  return <Beginning state={state} onCancel={onCancel} onBegun={setBegun} onPasskey={() => setPasskey(true)} />;
}

function Beginning(props: {
  state: SecondFactorState;
  onCancel?: () => void;
  onBegun: (begun: EnrolmentData) => void;
  onPasskey: () => void;
}) {
  const t = useT();
  const { state, onCancel, onBegun, onPasskey } = props;
  const asksPassword = state.proof_needed && state.has_password;
  const form = useCheckedForm<{ current_password: string }, unknown, EnrolmentInput>({
    defaultValues: { current_password: '' },
    resolver: domainResolver(EnrolmentInput, (values: { current_password: string }) => (asksPassword ? values : {})),
  });
  const begin = useMutation(useTRPC().account.beginSecondFactor.mutationOptions({ onSuccess: onBegun }));
  return (
    <FormShell
      form={form}
      onSubmit={(input) => begin.mutate(input)}
      error={begin.error ? toFailure(begin.error) : null}
      pending={begin.isPending}
      submitLabel={t('Show QR code')}
      disabledReason={
        state.proof_needed && !state.has_password ? t('Your sign-in is too old. Sign out, then sign in again') : null
      }
      onCancel={onCancel}
      aside={
        state.enrolled_at === null && (
          <div className="-ml-3">
            <Button variant="ghost" onClick={onPasskey} disabledReason={passkeyObstacle(t, state.passkey_site)}>
              {t('Use a passkey instead')}
            </Button>
          </div>
        )
      }
    >
      <p className="text-pretty">
        {t(
          "You need a TOTP authenticator app on your phone. Each sign-in then requires the app's six-digit code after your password. API tokens keep working without a code.",
        )}
      </p>
      {asksPassword && (
        <PasswordField
          control={form.control}
          name="current_password"
          label={t('Current password')}
          autoComplete="current-password"
          autoFocus
        />
      )}
    </FormShell>
  );
}

type ConfirmationProps = {
  enrolment: EnrolmentData;
  onCancel?: () => void;
  onConfirmed: (codes: readonly string[]) => void;
};

function Confirmation({ enrolment, onCancel, onConfirmed }: ConfirmationProps) {
  const t = useT();
  const form = useCheckedForm<EnrolmentConfirmation, unknown, EnrolmentConfirmation>({
    defaultValues: { code: '' },
    resolver: domainResolver(EnrolmentConfirmation, (values) => values),
  });
  const confirm = useMutation(
    useTRPC().account.confirmSecondFactor.mutationOptions({
      onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
    }),
  );
  return (
    <FormShell
      form={form}
      onSubmit={(input) => confirm.mutate(input)}
      error={confirm.error ? toFailure(confirm.error) : null}
      pending={confirm.isPending}
      submitLabel={t('Confirm')}
      onCancel={onCancel}
    >
      <div className="flex flex-wrap items-start gap-4">
        <QrCode text={enrolment.otpauth_uri} label={t('QR code of the secret, for your authenticator app')} />
        <div className="flex min-w-0 flex-1 basis-48 flex-col gap-2">
          <p className="text-pretty">{t('Scan the code with your app, or enter this secret:')}</p>
          <CodeBlock label={t('Secret')} code={enrolment.secret} wrap />
          <Notice tone="info">{t('The secret is shown until you confirm, and never again.')}</Notice>
        </div>
      </div>
      <TextField
        control={form.control}
        name="code"
        label={t('Code from the app')}
        autoComplete="one-time-code"
        maxLength={10}
        mono
        autoFocus
      />
    </FormShell>
  );
}
