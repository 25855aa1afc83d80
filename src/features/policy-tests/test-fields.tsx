'use client';
import { useEffect } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { POLICY_TEST_EXPECTATIONS } from '@/domain/choices';
import { protocolHasPorts, RULE_PROTOCOLS } from '@/domain/policy/choices';
import { useT } from '@/lib/i18n/use-t';
import { RadioField } from '@/ui/form/radio-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { OwnerFields, useOwner } from '../shared/owner-fields';
import { EXPECTATION_LABELS } from '../shared/policy-tests/test-labels';
import { PROTOCOL_LABELS } from '../shared/security-rule-labels';
import { TestEnd } from './test-end';
import type { TestValues } from './test-form-values';

type Props<Out> = {
  form: UseFormReturn<TestValues, unknown, Out>;
  /** Tenants to choose between; only when a test is made. */
  tenants?: readonly Option[];
  /** Owner of a test that exists. */
  owner?: { tenant_id: string | null; project_id: string | null };
};

/** What a test asserts, why, and who to ask. */
export function TestFields<Out>({ form, tenants = [], owner }: Props<Out>) {
  const t = useT();
  const { control, setValue } = form;
  const { projects, tenant_id, project_id } = useOwner(form, 'policy_test:write', owner?.tenant_id);
  const protocol = useWatch({ control, name: 'protocol' });
  const hasPorts = protocolHasPorts(protocol);
  useEffect(() => {
    if (!hasPorts) setValue('ports', '');
  }, [hasPorts, setValue]);
  const ends = { control, tenantId: tenant_id ?? null, projectId: (owner ? owner.project_id : project_id) ?? null };
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
      {!owner && <OwnerFields form={form} tenants={tenants} projects={projects} />}
      <RadioField
        control={control}
        name="expect"
        label={t('Expectation')}
        options={POLICY_TEST_EXPECTATIONS.map((value) => ({ value, label: t(EXPECTATION_LABELS[value]) }))}
      />
      <TestEnd {...ends} side="from" description={t('Clients. Type ! in front of an endpoint to exclude it.')} />
      <TestEnd {...ends} side="to" description={t('Servers. Nodes are written as node:cluster/name.')} />
      <SelectField
        control={control}
        name="protocol"
        label={t('Protocol')}
        options={RULE_PROTOCOLS.map((value) => ({ value, label: t(PROTOCOL_LABELS[value]) }))}
      />
      {hasPorts && (
        <TextField
          control={control}
          name="ports"
          label={t('Ports')}
          optional
          mono
          placeholder="443, 8000-8080"
          description={t('Ports of the server. Without ports, all are tested.')}
        />
      )}
      <TextareaField control={control} name="reason" label={t('Reason')} optional rows={2} />
      <TextField
        control={control}
        name="owner"
        label={t('Owner')}
        optional
        description={t('The person or team to ask when the test fails.')}
        maxLength={100}
      />
    </>
  );
}
