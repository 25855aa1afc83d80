'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValues } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { Combobox } from '@/ui/combobox';
import { EmptyState } from '@/ui/empty-state';
import { FieldFrame } from '@/ui/form/field-frame';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { PageHeader } from '@/ui/page-header';
import { Section } from '@/ui/section';
import { Select } from '@/ui/select';
import { TextInput } from '@/ui/text-input';
import type { Source } from '../../shared/list/filters';
import { GROUP, NETWORK, PROJECT, WORKLOAD } from '../../shared/list/sources';
import { usePermissions } from '../../shared/use-permissions';

const KINDS = ['project_id', 'group_id', 'network_id', 'tag', 'workload_id'] as const;
type Kind = (typeof KINDS)[number];

const KIND_LABELS: Readonly<Record<Kind, string>> = {
  project_id: msg('Project'),
  group_id: msg('Security group'),
  network_id: msg('Network'),
  tag: msg('Tag'),
  workload_id: msg('Workload'),
};
const SOURCES: Readonly<Record<Exclude<Kind, 'tag'>, Source>> = {
  project_id: PROJECT,
  group_id: GROUP,
  network_id: NETWORK,
  workload_id: WORKLOAD,
};

const WINDOWS = [
  { value: '24', label: msg('Last 24 hours') },
  { value: '72', label: msg('Last 3 days') },
  { value: '168', label: msg('Last 7 days') },
] as const;
type Window = (typeof WINDOWS)[number]['value'];

const URL = Object.fromEntries(KINDS.map((kind) => [kind, URL_TEXT])) as Record<Kind, typeof URL_TEXT>;

/** One thing found by typing. */
function ScopePicker({
  kind,
  value,
  onChange,
}: {
  kind: Exclude<Kind, 'tag'>;
  value: string | null;
  onChange: (id: string | null) => void;
}) {
  const [text, setText] = useState('');
  const source = SOURCES[kind];
  const found = source.useFound(text);
  const { name } = source.useName(value);
  const chosen: Option | null = value === null ? null : { value, label: name ?? '…' };
  return (
    <Combobox
      value={chosen}
      options={found.options}
      remote={{ onSearch: setText, loading: found.loading, error: found.error }}
      onValueChange={(option) => onChange(option?.value ?? null)}
      clearable
    />
  );
}

function RequestForm() {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const [values, set] = useUrlValues(URL);
  const given = KINDS.find((one) => values[one]);
  const [chosen, setChosen] = useState<Kind>(given ?? 'project_id');
  const [hours, setHours] = useState<Window>('24');
  const kind = given ?? chosen;
  const value = values[kind] ?? null;
  const create = useMutation(
    trpc.suggestions.create.mutationOptions({
      onSuccess: ({ id }) => router.push(paths.suggestion({ suggestionId: id })),
    }),
  );
  const choose = (next: Kind) => {
    set(Object.fromEntries(KINDS.map((one) => [one, null])) as Record<Kind, null>);
    setChosen(next);
  };
  const submit = () => {
    const text = value?.trim() ?? '';
    const scope = kind === 'workload_id' ? { workload_ids: [text] } : ({ [kind]: text } as { tag: string });
    create.mutate({ scope, since: new Date(Date.now() - Number(hours) * 3_600_000).toISOString() });
  };
  const failure = create.error ? toFailure(create.error) : null;
  return (
    <Section
      title={t('Scope and time')}
      description={t('Rules are suggested for these workloads, from what they did in this time.')}
    >
      <form
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (value) submit();
        }}
      >
        <FieldFrame name="kind" label={t('Workloads of')} error={undefined} nativeLabel={false}>
          <Select
            value={kind}
            onValueChange={choose}
            options={KINDS.map((one) => ({ value: one, label: t(KIND_LABELS[one]) }))}
          />
        </FieldFrame>
        <FieldFrame name="scope" label={t(KIND_LABELS[kind])} error={undefined}>
          {kind === 'tag' ? (
            <TextInput
              value={value ?? ''}
              maxLength={64}
              onChange={(event) => set({ tag: event.target.value || null })}
            />
          ) : (
            <ScopePicker key={kind} kind={kind} value={value} onChange={(id) => set({ [kind]: id })} />
          )}
        </FieldFrame>
        <FieldFrame name="since" label={t('Time range')} error={undefined} nativeLabel={false}>
          <Select
            value={hours}
            onValueChange={setHours}
            options={WINDOWS.map((one) => ({ value: one.value, label: t(one.label) }))}
          />
        </FieldFrame>
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.errors?.[0]?.message ?? failure.detail}
          </Notice>
        )}
        <div>
          <Button
            type="submit"
            variant="primary"
            pending={create.isPending}
            disabledReason={!value && t('Choose a scope.')}
          >
            {t('Suggest policies')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** Asks for the workloads and the time that policies are suggested from. */
export function RequestSuggestion() {
  const t = useT();
  const { reason } = usePermissions();
  const refused = reason('policy:write') ?? reason('flow:read');
  if (refused) return <EmptyState title={t('You have read-only access to policies')}>{refused}</EmptyState>;
  return (
    <>
      <PageHeader
        title={t('Suggest policies')}
        description={t('A draft of groups and policies from observed conversations. It enforces nothing.')}
      />
      <RequestForm />
    </>
  );
}
