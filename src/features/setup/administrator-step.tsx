'use client';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { MIN_PASSWORD_LENGTH } from '@/domain/auth-password';
import { browserSession } from '@/lib/browser-session';
import { failureOf } from '@/lib/problem';
import { rest } from '@/lib/rest';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { domainResolver } from '../shared/domain-resolver';
import {
  type AdministratorValues,
  administratorSchema,
  EMPTY_ADMINISTRATOR,
  toSetupInput,
} from './administrator-form-values';

/** Creates the first administrator and signs in. From then on the setup is closed for everybody. */
export function AdministratorStep({ codeRequired, onDone }: { codeRequired: boolean; onDone: () => void }) {
  const schema = useMemo(() => administratorSchema(codeRequired), [codeRequired]);
  const form = useForm<AdministratorValues, unknown, AdministratorValues>({
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
      error={complete.error ? failureOf(complete.error) : null}
      pending={complete.isPending}
      submitLabel="Create administrator"
    >
      <TextField
        control={form.control}
        name="email"
        label="Email address"
        description="You sign in with it. No mail is sent."
        autoComplete="username"
        autoFocus
      />
      <TextField control={form.control} name="name" label="Name" autoComplete="name" optional />
      <PasswordField
        control={form.control}
        name="password"
        label="Password"
        autoComplete="new-password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters. Length counts, not special characters.`}
      />
      <PasswordField
        control={form.control}
        name="password_repeat"
        label="Repeat the password"
        autoComplete="new-password"
      />
      {codeRequired && (
        <TextField
          control={form.control}
          name="setup_code"
          label="Setup code"
          description="The server printed it when it started. It proves that this is your installation."
          autoComplete="one-time-code"
          mono
        />
      )}
    </FormShell>
  );
}
