'use client';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { PasswordField } from '@/ui/form/password-field';
import { RadioField } from '@/ui/form/radio-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Problem } from '@/ui/problem';
import { Section } from '@/ui/section';
import { KitPart } from './kit-part';

type Values = {
  name: string;
  api_url: string;
  api_token: string;
  placement: 'above' | 'below';
  mode: 'audit' | 'enforced';
  interval: number | null;
  note: string;
  auto: boolean;
};

const REFUSED: Problem = {
  title: 'The cluster was not added',
  detail: '3 fields need attention.',
  request_id: '019ab3c4-77aa-7def-8123-5b2fd60e7c11',
  errors: [
    { field: 'api_url', message: 'Use https://, for example https://pve-1.example.net:8006' },
    { field: 'interval', message: 'From 5 to 10080 minutes' },
    { field: 'tls_fingerprint', message: 'The certificate changed since it was pinned' },
  ],
};

export function KitForm() {
  return (
    <KitPart id="forms" title="Forms">
      <div className="grid gap-4 md:grid-cols-2">
        <Section title="Empty">
          <Example error={null} />
        </Section>
        <Section title="Refused by the server">
          <Example error={REFUSED} />
        </Section>
      </div>
    </KitPart>
  );
}

function Example({ error }: { error: Problem | null }) {
  const form = useForm<Values>({
    defaultValues: {
      name: error ? 'prod' : '',
      api_url: error ? 'http://pve-1' : '',
      api_token: '',
      placement: 'above',
      mode: 'audit',
      interval: error ? 1 : 60,
      note: '',
      auto: true,
    },
  });
  const [pending, setPending] = useState(false);
  const { control } = form;
  const submit = () => {
    setPending(true);
    setTimeout(() => setPending(false), 1500);
  };
  return (
    <FormShell
      form={form}
      onSubmit={submit}
      error={error}
      pending={pending}
      submitLabel="Add cluster"
      onCancel={() => form.reset()}
    >
      <TextField control={control} name="name" label="Name" placeholder="prod-eu" />
      <TextField control={control} name="api_url" label="API address" mono description="Any node of the cluster." />
      <PasswordField control={control} name="api_token" label="API token" autoComplete="off" />
      <SelectField
        control={control}
        name="placement"
        label="Rule placement"
        options={[
          { value: 'above', label: 'Above foreign rules', description: 'Rules of policies decide first' },
          { value: 'below', label: 'Below foreign rules' },
        ]}
      />
      <RadioField
        control={control}
        name="mode"
        label="Enforcement"
        options={[
          { value: 'audit', label: 'Audit', description: 'Show what the policy would decide; change nothing.' },
          { value: 'enforced', label: 'Enforced', description: 'Write the rules to the guests.' },
        ]}
      />
      <NumberField control={control} name="interval" label="Sync every" min={5} max={10_080} unit="minutes" />
      <TextareaField control={control} name="note" label="Note" optional />
      <CheckboxField control={control} name="auto" label="Sync by itself" description="Also discovers addresses." />
    </FormShell>
  );
}
