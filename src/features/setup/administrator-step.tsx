'use client';
import { useMutation } from '@tanstack/react-query';
import { MIN_PASSWORD_LENGTH } from '@/domain/choices';
import { browserSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { rest } from '@/lib/rest';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { type AdministratorValues, EMPTY_ADMINISTRATOR, toSetupInput } from './administrator-form-values';

/** Creates the first administrator and signs in. From then on the setup is closed for everyone. */
export function AdministratorStep({ codeRequired, onDone }: { codeRequired: boolean; onDone: () => void }) {
  const t = useT();
  const schema = () => import('./administrator-schema').then((module) => module.administratorSchema(t, codeRequired));
  const form = useCheckedForm<AdministratorValues, unknown, AdministratorValues>({
    defaultValues: EMPTY_ADMINISTRATOR,
    resolver: domainResolver(schema, (values: AdministratorValues) => values),
  });
  const complete = useMutation({
    mutationFn: async (values: AdministratorValues) => {
      await rest('/setup/complete', { method: 'POST', body: toSetupInput(values), open: true });
      await browserSession().session.signIn(values.email, values.password);
    },
    onSuccess: onDone,
  });
  return (
    <FormShell
      form={form}
      onSubmit={(values) => complete.mutate(values)}
      error={complete.error ? toFailure(complete.error) : null}
      pending={complete.isPending}
      submitLabel={t('Create administrator')}
    >
      <TextField
        control={form.control}
        name="email"
        label={t('Email address')}
        description={t('You sign in with this address. No email is sent.')}
        autoComplete="username"
        autoFocus
      />
      <TextField control={form.control} name="name" label={t('Name')} autoComplete="name" optional />
      <PasswordField
        control={form.control}
        name="password"
        label={t('Password')}
        autoComplete="new-password"
        description={t('At least {n} characters. Length matters; special characters are not required.', {
          n: MIN_PASSWORD_LENGTH,
        })}
      />
      <PasswordField
        control={form.control}
        name="password_repeat"
        label={t('Repeat the password')}
        autoComplete="new-password"
      />
      {codeRequired && (
        <TextField
          control={form.control}
          name="setup_code"
          label={t('Setup code')}
          description={t('The server printed the code at startup. The code proves that this is your installation.')}
          autoComplete="one-time-code"
          mono
        />
      )}
    </FormShell>
  );
}
