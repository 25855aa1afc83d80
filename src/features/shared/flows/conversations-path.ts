import { OUTSIDE } from '@/domain/choices';
import { quoteWord } from '@/domain/filter-language/tokens';
import type { Action } from '@/domain/flow-action';
import { paths } from '@/lib/paths';

type Asked = {
  /** Endpoints as policies name them, or everything outside; none: any. */
  client?: readonly string[];
  server?: readonly string[];
  protocol?: string | null;
  /** Ports and ranges of the server. */
  ports?: readonly string[];
  actions?: readonly Action[];
};

/** An endpoint of policies as the filter language has it. */
const toValue = (endpoint: string): string =>
  quoteWord(endpoint === OUTSIDE ? 'external' : endpoint.replace(/^sg:/, 'group:'));

const formatPart = (field: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [values.length === 1 ? `${field} = ${values[0]}` : `${field} in (${values.join(', ')})`];

/** The text of a filter for conversations between these ends, as the filter language writes it. */
export function formatConversationFilter({
  client = [],
  server = [],
  protocol,
  ports = [],
  actions = [],
}: Asked): string {
  // The language names no ports of several protocols together.
  const isOne = protocol && /^[a-z0-9]+$/.test(protocol) && protocol !== 'any';
  return [
    ...formatPart('client', client.map(toValue)),
    ...formatPart('server', server.map(toValue)),
    ...(isOne && ports.length > 0
      ? formatPart(
          'service',
          ports.map((port) => `${protocol}/${port}`),
        )
      : [...(isOne ? [`protocol = ${protocol}`] : []), ...formatPart('port', ports)]),
    ...formatPart('action', actions),
  ].join(' and ');
}

/** The page of conversations with the filter filled in. */
export const conversationsPath = (asked: Asked, time: { range?: string } = {}): string =>
  paths.flows({ filter: formatConversationFilter(asked), ...time });
