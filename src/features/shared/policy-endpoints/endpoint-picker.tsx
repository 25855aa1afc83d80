'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Ref, useMemo, useState } from 'react';
import { formatEndpoint, parseEndpoint } from '@/domain/policy/endpoint';
import {
  canonicalTestEndpoint,
  isExcepted,
  parseTestEndpoint,
  stripExcept,
  type TestEndpoint,
} from '@/domain/policy-tests/test-endpoint';
import { lowerLabel, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { MultiCombobox } from '@/ui/combobox';
import { FieldFrame } from '@/ui/form/field-frame';
import type { Option } from '@/ui/option';
import { useDebounced } from '../use-timers';
import { ENDPOINT_KIND_LABELS } from './endpoint-labels';

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
  grammar?: EndpointGrammar;
};

/** How typed text is read. */
export type EndpointGrammar = {
  readonly parse: (text: string) => TestEndpoint | { error: string };
  /** The text that is stored; null for text that is no endpoint. */
  readonly canonical: (text: string) => string | null;
};

const OF_POLICIES: EndpointGrammar = {
  parse: parseEndpoint,
  canonical: (text) => {
    const parsed = parseEndpoint(text);
    return 'error' in parsed ? null : formatEndpoint(parsed);
  },
};
/** Ends of policy tests: nodes as well, and exceptions with `!`. */
export const OF_TESTS: EndpointGrammar = { parse: parseTestEndpoint, canonical: canonicalTestEndpoint };

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
  grammar = OF_POLICIES,
}: Props) {
  const t = useT();
  const trpc = useTRPC();
  const [text, setText] = useState('');
  const searched = stripExcept(text.trim()).slice(0, 200);
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
      value: (isExcepted(text.trim()) ? '!' : '') + item.endpoint,
      label: (isExcepted(text.trim()) ? '!' : '') + item.label,
      description: [t(ENDPOINT_KIND_LABELS[item.kind]), item.detail].filter(Boolean).join(', '),
    }));
    return withTyped(t, items, text, isEarlier, grammar);
  }, [t, found, text, isEarlier, grammar]);
  const hint = text.trim() === '' || options.length > 0 ? null : getHint(text, grammar);
  return (
    <FieldFrame name={name} label={label} description={hint ?? description} error={error}>
      <MultiCombobox
        aria-label={label}
        value={value.map((endpoint) => ({ value: endpoint, label: endpoint }))}
        onValueChange={(chosen) => {
          onValueChange([...new Set(chosen.map((option) => option.value))]);
          setText('');
        }}
        onBlur={onBlur}
        ref={ref}
        options={options}
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

/**
 * What was found, and what is typed as an endpoint of its own: an address comes first, since it is meant as it is typed; a name last
 * and only once the search has answered, since it may be the beginning of one that is found.
 */
export function withTyped(
  t: Translate,
  items: readonly Option[],
  text: string,
  isEarlier: boolean,
  grammar: EndpointGrammar = OF_POLICIES,
): Option[] {
  const typed = typedOption(t, text, grammar);
  if (!typed || items.some((item) => item.value === typed.value)) return [...items];
  const parsed = grammar.parse(text);
  if (!('error' in parsed) && parsed.kind === 'address') return [typed, ...items];
  return isEarlier ? [...items] : [...items, typed];
}

/** What is typed as an endpoint of its own, also when nothing has that name (yet). */
function typedOption(t: Translate, text: string, grammar: EndpointGrammar): Option | null {
  if (text.trim() === '') return null;
  const parsed = grammar.parse(text);
  const endpoint = grammar.canonical(text);
  if ('error' in parsed || endpoint === null) return null;
  return {
    value: endpoint,
    label: endpoint,
    description:
      parsed.kind === 'address'
        ? t('Use this address')
        : t('Use as typed: {kind}', { kind: lowerLabel(t, t(ENDPOINT_KIND_LABELS[parsed.kind])) }),
  };
}

function getHint(text: string, grammar: EndpointGrammar): string | null {
  const parsed = grammar.parse(text);
  return 'error' in parsed ? parsed.error : null;
}
