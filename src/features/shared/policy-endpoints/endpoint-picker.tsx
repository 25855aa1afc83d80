'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Ref, useMemo, useState } from 'react';
import { EXCEPT } from '@/domain/policy/choices';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { MultiCombobox } from '@/ui/combobox';
import { FieldFrame } from '@/ui/form/field-frame';
import type { Option } from '@/ui/option';
import { part, usePart } from '@/ui/part';
import { useDebounced } from '../use-timers';
import { ENDPOINT_KIND_LABELS } from './endpoint-labels';
import type { Grammar } from './typed-endpoint';
import { useEndpointNames } from './use-endpoint-names';

type Props = {
  name: string;
  label: string;
  description: string;
  value: readonly string[];
  onValueChange: (endpoints: string[]) => void;
  onBlur: () => void;
  /** Of the text box, which has the focus when the choice is refused. */
  ref?: Ref<HTMLInputElement>;
  error: string | undefined;
  /** Restricts what is found to one tenant. */
  tenantId: string | null;
  /** Restricts it to one project. */
  projectId: string | null;
  /** What may be typed; by default what policies can name. */
  kind?: Grammar;
};

/** Reading addresses and names takes code that nothing needs before something is typed. */
const typed = part(() => import('./typed-endpoint'));

/** Chooses groups, workloads, networks, tags and addresses with one search over all of them; typed text counts too. */
export function EndpointPicker({
  name,
  label,
  description,
  value,
  onValueChange,
  onBlur,
  ref,
  error,
  tenantId,
  projectId,
  kind = 'policies',
}: Props) {
  const t = useT();
  const trpc = useTRPC();
  const nameEndpoint = useEndpointNames(value);
  const [text, setText] = useState('');
  const reader = usePart(typed, text !== '');
  const except = kind === 'tests' && text.trim().startsWith(EXCEPT) ? EXCEPT : '';
  const searched = text.trim().slice(except.length).slice(0, 200);
  const q = useDebounced(searched);
  const search = useQuery({
    ...trpc.policies.searchEndpoints.queryOptions({
      q,
      limit: 30,
      ...(tenantId && { tenant_id: tenantId }),
      ...(projectId && { project_id: projectId }),
    }),
    placeholderData: keepPreviousData,
  });
  const found = search.data?.items;
  // Choices of an earlier text are no answer to this one: Enter would take one that does not match it.
  const isEarlier = q !== searched || search.isPlaceholderData;
  const options = useMemo<Option[]>(() => {
    const items = (found ?? []).map((item) => ({
      value: except + item.endpoint,
      label: except + item.label,
      description: [t(ENDPOINT_KIND_LABELS[item.kind]), item.detail].filter(Boolean).join(', '),
    }));
    return reader ? reader.withTyped(t, items, text, isEarlier, kind) : items;
  }, [t, found, text, isEarlier, kind, except, reader]);
  const hint = text.trim() === '' || options.length > 0 ? null : reader?.getHint(text, kind);
  return (
    <FieldFrame name={name} label={label} description={hint ?? description} error={error}>
      <MultiCombobox
        aria-label={label}
        value={value.map((endpoint) => ({ value: endpoint, label: nameEndpoint(endpoint) }))}
        onValueChange={(chosen) => {
          onValueChange([...new Set(chosen.map((option) => option.value))]);
          setText('');
        }}
        onBlur={onBlur}
        ref={ref}
        options={options}
        needs={typed}
        placeholder={value.length === 0 ? t('Name, tag, VMID, address or any') : ''}
        remote={{
          onSearch: setText,
          loading: search.isFetching || isEarlier,
          error: search.error ? (toFailure(search.error).detail ?? toFailure(search.error).title) : null,
        }}
      />
    </FieldFrame>
  );
}
