'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { MAPPING_SOURCES } from '@/domain/choices';
import { type MappingRule, MappingRuleInput } from '@/domain/mapping-rule';
import { msg, translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { ComboboxField } from '@/ui/form/combobox-field';
import { NumberField } from '@/ui/form/number-field';
import { RadioField } from '@/ui/form/radio-field';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { Section } from '@/ui/section';
import { useReadAgain, useSaved } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { useClusterOptions } from '../../shared/use-cluster-options';
import { useDebounced } from '../../shared/use-timers';
import { VersionedDrawer } from '../../shared/versioned-form';
import { SOURCE_LABELS } from './mapping-labels';
import { MappingPreview } from './mapping-preview';
import { EMPTY_RULE, type MappingRuleValues, toMappingRuleValues, toRuleInput } from './mapping-rule-values';

/** The whole rule is sent, as when it is made. */
const RuleChange = MappingRuleInput.extend({ version: z.int() });

const SOURCE_OPTIONS = MAPPING_SOURCES.map((value) => ({
  value,
  label: SOURCE_LABELS[value],
  description: value === 'pool' ? msg('A workload is in one pool at most.') : msg('A workload can have several tags.'),
}));

type Props = { rule: MappingRule | null; onClose: () => void };

/** Makes a mapping rule, or changes one, with what that would move. Mount it when it opens. */
export function MappingRuleDrawer({ rule, onClose }: Props) {
  return rule ? <EditDrawer rule={rule} onClose={onClose} /> : <CreateDrawer onClose={onClose} />;
}

function useRuleSaved(onClose: () => void) {
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const touched = [trpc.mappingRules, trpc.workloads, trpc.projects, trpc.tenants].map((one) => one.pathFilter());
  return (title: string) => () => done(title, ...touched);
}

const fieldName = (field: string) => (field === 'project_id' ? 'project' : field);

function CreateDrawer({ onClose }: { onClose: () => void }) {
  const t = useT();
  const onSuccess = useRuleSaved(onClose)(t('Mapping rule created'));
  const save = useMutation(useTRPC().mappingRules.create.mutationOptions({ onSuccess }));
  return (
    <RecordDrawer
      title={t('Create mapping rule')}
      description={t('The rule applies immediately and at every sync.')}
      size="lg"
      defaultValues={EMPTY_RULE}
      schema={MappingRuleInput}
      toInput={toRuleInput}
      save={save}
      submitLabel={t('Create mapping rule')}
      fieldName={fieldName}
      onClose={onClose}
    >
      {(control) => <Fields control={control} ruleId={undefined} />}
    </RecordDrawer>
  );
}

function EditDrawer({ rule, onClose }: { rule: MappingRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const readAgain = useReadAgain();
  return (
    <VersionedDrawer
      title={t('Edit mapping rule')}
      description={t('The rule applies immediately and at every sync.')}
      size="lg"
      opened={rule}
      read={() => readAgain(trpc.mappingRules.get.queryOptions({ id: rule.id }))}
      schema={RuleChange}
      toValues={toMappingRuleValues}
      toInput={(values, { version }) => ({ ...toRuleInput(values), version })}
      save={(input) => client.mappingRules.update.mutate({ ...input, id: rule.id })}
      onSaved={useRuleSaved(onClose)(t('Mapping rule saved'))}
      submitLabel={t('Save mapping rule')}
      fieldName={fieldName}
      onClose={onClose}
    >
      {({ control }) => <Fields control={control} ruleId={rule.id} />}
    </VersionedDrawer>
  );
}

function Fields<Out>({
  control,
  ruleId,
}: {
  control: Control<MappingRuleValues, unknown, Out>;
  ruleId: string | undefined;
}) {
  const t = useT();
  const trpc = useTRPC();
  const clusters = useClusterOptions();
  const [search, setSearch] = useState('');
  const source = useWatch({ control, name: 'source' });
  const projects = useQuery(
    trpc.projects.list.queryOptions({ sort: 'name', limit: 100, ...(search !== '' && { q: search }) }),
  );
  const options = useMemo(
    () =>
      projects.data?.items.map(({ id, name, tenant_name }) => ({ value: id, label: name, description: tenant_name })) ??
      [],
    [projects.data],
  );
  return (
    <>
      <RadioField
        control={control}
        name="source"
        label={t('Criterion')}
        options={translateOptions(t, SOURCE_OPTIONS)}
      />
      <TextField
        control={control}
        name="value"
        label={source === 'pool' ? t('Pool') : t('Tag')}
        mono
        maxLength={128}
        placeholder={source === 'pool' ? 'production' : 'shop'}
        description={t('Name in the cluster.')}
        autoFocus
      />
      <ComboboxField
        control={control}
        name="cluster_id"
        label={t('Cluster')}
        optional
        placeholder={t('All clusters')}
        options={clusters}
      />
      <RemoteComboboxField
        control={control}
        name="project"
        label={t('Project')}
        description={t('The tenant of this project will see the workloads.')}
        options={options}
        remote={{ onSearch: setSearch, loading: projects.isFetching }}
        placeholder={t('Type to search projects')}
      />
      <NumberField
        control={control}
        name="priority"
        label={t('Priority')}
        min={0}
        max={10_000}
        description={t('If several rules match, the lowest number wins.')}
      />
      <CheckboxField control={control} name="enabled" label={t('Rule enabled')} />
      <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
      <Section title={t('Affected workloads')} bare>
        <DraftPreview control={control} ruleId={ruleId} />
      </Section>
    </>
  );
}

/** The preview of what is typed, once it is complete and rests for a moment. */
function DraftPreview<Out>({
  control,
  ruleId,
}: {
  control: Control<MappingRuleValues, unknown, Out>;
  ruleId: string | undefined;
}) {
  const t = useT();
  const values = useWatch({ control }) as MappingRuleValues;
  const text = useDebounced(JSON.stringify(toRuleInput(values)), 300);
  const rule = useMemo(() => MappingRuleInput.safeParse(JSON.parse(text)).data, [text]);
  if (!rule) return <p className="text-muted">{t('Enter the pool or tag to match, and select a project.')}</p>;
  // What it is described as decides nothing, and would make the request long.
  return (
    <MappingPreview input={{ rule: { ...rule, description: '' }, ...(ruleId !== undefined && { rule_id: ruleId }) }} />
  );
}
