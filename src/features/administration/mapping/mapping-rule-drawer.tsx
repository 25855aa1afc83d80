'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { MAPPING_SOURCES, type MappingRule, MappingRuleInput, type MappingRuleUpdate } from '@/domain/mapping-rule';
import { optionsIn } from '@/lib/i18n/options-in';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { ComboboxField } from '@/ui/form/combobox-field';
import { NumberField } from '@/ui/form/number-field';
import { RadioField } from '@/ui/form/radio-field';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { RecordDrawer } from '../../shared/record-drawer';
import { useClusterOptions } from '../../shared/use-cluster-options';
import { useDebounced } from '../../shared/use-debounced';
import { MappingPreview } from './mapping-preview';
import { EMPTY_RULE, type MappingRuleValues, ruleValues, toRuleInput } from './mapping-rule-values';
import { SOURCE_LABELS } from './rule-words';

const SOURCE_OPTIONS = MAPPING_SOURCES.map((value) => ({
  value,
  label: SOURCE_LABELS[value],
  description: value === 'pool' ? msg('A guest is in one pool at most.') : msg('A guest may have many tags.'),
}));

/** Makes a mapping rule, or changes one, with what that would move. Mount it when it opens. */
export function MappingRuleDrawer({ rule, onClose }: { rule: MappingRule | null; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [version, setVersion] = useState(rule?.version);
  const onSuccess = () => {
    for (const touched of [trpc.mappingRules, trpc.workloads, trpc.projects, trpc.tenants]) {
      void queryClient.invalidateQueries(touched.pathFilter());
    }
    showToast('ok', { title: rule ? t('Mapping rule saved') : t('Mapping rule created') });
    onClose();
  };
  const create = useMutation(trpc.mappingRules.create.mutationOptions({ onSuccess }));
  const update = useMutation(trpc.mappingRules.update.mutationOptions({ onSuccess }));
  const save = rule
    ? { ...update, mutate: (input: MappingRuleUpdate) => update.mutate({ ...input, id: rule.id, version }) }
    : create;
  return (
    <RecordDrawer
      title={rule ? t('Edit mapping rule') : t('Create mapping rule')}
      description={t('It counts at once, and at every sync.')}
      size="lg"
      defaultValues={rule ? ruleValues(rule) : EMPTY_RULE}
      schema={MappingRuleInput}
      toInput={toRuleInput}
      save={save}
      submitLabel={rule ? t('Save mapping rule') : t('Create mapping rule')}
      reload={
        rule
          ? async () => {
              const fresh = await queryClient.fetchQuery({
                ...trpc.mappingRules.get.queryOptions({ id: rule.id }),
                staleTime: 0,
              });
              setVersion(fresh.version);
              return ruleValues(fresh);
            }
          : undefined
      }
      fieldName={(field) => (field === 'project_id' ? 'project' : field)}
      onClose={onClose}
    >
      {(control) => <Fields control={control} ruleId={rule?.id} />}
    </RecordDrawer>
  );
}

function Fields({
  control,
  ruleId,
}: {
  control: Control<MappingRuleValues, unknown, MappingRuleInput>;
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
      <RadioField control={control} name="source" label={t('What decides')} options={optionsIn(t, SOURCE_OPTIONS)} />
      <TextField
        control={control}
        name="value"
        label={source === 'pool' ? t('Pool') : t('Tag')}
        mono
        maxLength={128}
        placeholder={source === 'pool' ? 'production' : 'shop'}
        description={t('As it is called in the cluster.')}
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
        description={t('Its tenant sees the workloads from then on.')}
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
        description={t('Where several rules match, the one with the lowest number decides.')}
      />
      <CheckboxField control={control} name="enabled" label={t('Use this rule')} />
      <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
      <Section title={t('What this moves')} bare>
        <DraftPreview control={control} ruleId={ruleId} />
      </Section>
    </>
  );
}

/** The preview of what is typed, once it is complete and rests for a moment. */
function DraftPreview({
  control,
  ruleId,
}: {
  control: Control<MappingRuleValues, unknown, MappingRuleInput>;
  ruleId: string | undefined;
}) {
  const t = useT();
  const values = useWatch({ control }) as MappingRuleValues;
  const text = useDebounced(JSON.stringify(toRuleInput(values)), 300);
  const rule = useMemo(() => MappingRuleInput.safeParse(JSON.parse(text)).data, [text]);
  if (!rule) return <p className="text-muted">{t('Say what the rule matches, and name the project.')}</p>;
  // What it is described as decides nothing, and would make the request long.
  return (
    <MappingPreview input={{ rule: { ...rule, description: '' }, ...(ruleId !== undefined && { rule_id: ruleId }) }} />
  );
}
