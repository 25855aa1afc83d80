import { formatEndpoint, parseEndpoint } from '@/domain/policy/endpoint';
import { canonicalTestEndpoint, parseTestEndpoint, type TestEndpoint } from '@/domain/policy-tests/test-endpoint';
import { lowerLabel, type Translate } from '@/lib/i18n/translator';
import type { Option } from '@/ui/option';
import { ENDPOINT_KIND_LABELS } from './endpoint-labels';

/** How typed text is read. */
type EndpointGrammar = {
  readonly parse: (text: string) => TestEndpoint | { error: string };
  /** The text that is stored; null for text that is no endpoint. */
  readonly canonical: (text: string) => string | null;
};

const GRAMMARS = {
  policies: {
    parse: parseEndpoint,
    canonical: (text) => {
      const parsed = parseEndpoint(text);
      return 'error' in parsed ? null : formatEndpoint(parsed);
    },
  },
  /** Nodes as well, and exceptions with `!`. */
  tests: { parse: parseTestEndpoint, canonical: canonicalTestEndpoint },
} satisfies Record<string, EndpointGrammar>;

/** Whose endpoints are typed. */
export type Grammar = keyof typeof GRAMMARS;

/**
 * What was found, and what is typed as an endpoint of its own: an address comes first, since it is meant as it is typed; a name last
 * and only once the search has answered, since it may be the beginning of one that is found.
 */
export function withTyped(
  t: Translate,
  items: readonly Option[],
  text: string,
  isEarlier: boolean,
  grammar: Grammar,
): Option[] {
  const typed = typedOption(t, text, GRAMMARS[grammar]);
  if (!typed || items.some((item) => item.value === typed.value)) return [...items];
  const parsed = GRAMMARS[grammar].parse(text);
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

/** Why typed text is no endpoint; null for one that is. */
export function getHint(text: string, grammar: Grammar): string | null {
  const parsed = GRAMMARS[grammar].parse(text);
  return 'error' in parsed ? parsed.error : null;
}
